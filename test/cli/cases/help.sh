# SPDX-License-Identifier: BSD-2-Clause
# Help.
armpmu --help
for verb in stat list decode encode; do
    armpmu help $verb >one
    armpmu $verb --help >two
    cmp one two && cat one
done
