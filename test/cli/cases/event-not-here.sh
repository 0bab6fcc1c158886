# SPDX-License-Identifier: BSD-2-Clause
# An event that no engine counts.
armpmu stat -e L1D_CACHE true
echo $?
armpmu stat -e r1234 true
