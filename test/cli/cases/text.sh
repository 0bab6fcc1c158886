# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  For people: the default events, times and what is covered.
armpmu stat -- loop
