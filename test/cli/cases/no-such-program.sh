# SPDX-License-Identifier: BSD-2-Clause
# No such program, by path and by name.
armpmu stat ./nosuch
echo $?
armpmu stat nosuch
