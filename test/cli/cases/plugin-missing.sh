# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  The tool without its plugin.
cp "$B/armpmu" .
ARMPMU_QEMU=$(cd "$top" && . tools/emulator.sh && aarch64_emulator) ./armpmu stat say
