# SPDX-License-Identifier: BSD-2-Clause
# Events that the emulator does not count.
armpmu stat -e L1D_CACHE true
echo $?
armpmu stat -e r1234 true
