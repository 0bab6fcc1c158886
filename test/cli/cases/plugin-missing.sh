# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  The tool without its plugin.
cp "$B/armpmu" .
./armpmu stat say
