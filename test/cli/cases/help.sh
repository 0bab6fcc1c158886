# SPDX-License-Identifier: BSD-2-Clause
# The help of the tool and of four verbs.  For every verb, armpmu help VERB prints the same as armpmu VERB --help.
armpmu --help
for verb in stat list decode encode why audit run; do
    armpmu help $verb >one
    armpmu $verb --help >two
    cmp one two
    case $verb in why | audit | run) grep -q "^armpmu $verb - " one || echo "$verb: no help" ;; *) cat one ;; esac
done
