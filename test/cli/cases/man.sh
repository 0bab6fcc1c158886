# SPDX-License-Identifier: BSD-2-Clause
# mandoc finds no fault in the man page; it has every option, and each section once.
command -v mandoc >/dev/null || { echo "no mandoc" >&2; exit 77; }
armpmu --man >armpmu.1
mandoc -Tlint -W warning armpmu.1
grep -q '^\.Sh OUTPUT$' armpmu.1 || echo "the section OUTPUT, which two verbs have, is missing"
grep '^\.Sh ' armpmu.1 | sort | uniq -d
mandoc -Tascii armpmu.1 | sed "s/.$(printf '\b')//g" >text # without overstriking
for verb in stat list; do
    armpmu $verb --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' >options
    test -s options || echo "armpmu $verb --help has no options"
    while read -r option; do
        grep -q -e "$option" text || echo "$option is not in the man page"
    done <options
done
