# SPDX-License-Identifier: BSD-2-Clause
# The man page has no fault that mandoc finds, and every option.
command -v mandoc >/dev/null || { echo "no mandoc" >&2; exit 77; }
armpmu --man >armpmu.1
mandoc -Tlint -W warning armpmu.1
mandoc -Tascii armpmu.1 | sed "s/.$(printf '\b')//g" >text # without overstriking
for verb in stat list; do
    armpmu $verb --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' | while read -r option; do
        grep -q -e "$option" text || echo "$option is not in the man page"
    done
done
