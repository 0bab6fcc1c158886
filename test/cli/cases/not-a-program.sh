# SPDX-License-Identifier: BSD-2-Clause
# A text, a directory, a file that may not be executed.
armpmu stat text
echo $?
armpmu stat /
echo $?
echo >plain
armpmu stat ./plain
