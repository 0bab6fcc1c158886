# SPDX-License-Identifier: BSD-2-Clause
# A list that cannot be written.
armpmu list >/dev/full
echo $?
armpmu list >&-
echo $?
armpmu --version >/dev/full
