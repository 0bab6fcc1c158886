# SPDX-License-Identifier: BSD-2-Clause
# The help of the tool and of its verbs.  armpmu help VERB prints the same as armpmu VERB --help.
armpmu --help
for verb in stat list decode encode; do
    armpmu help $verb >one
    armpmu $verb --help >two
    cmp one two && cat one
done
