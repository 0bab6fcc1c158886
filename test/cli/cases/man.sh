# SPDX-License-Identifier: BSD-2-Clause
# mandoc and groff find no fault in the man pages.  That of the tool has every verb; that of a verb has every option and
# section.
command -v mandoc >/dev/null || { echo "no mandoc" >&2; exit 77; }
lint() {
    mandoc -Tlint -W warning "$1"
    ! command -v groff >/dev/null || groff -K utf8 -mandoc -Tutf8 -ww -z "$1"
}
page() { mandoc -Tascii "$1" | sed "s/.$(printf '\b')//g"; } # without overstriking
armpmu --man >armpmu.1
lint armpmu.1
page armpmu.1 >tool
armpmu --help | sed -n '/^VERBS/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -v help >verbs
[ "$(wc -l <verbs)" -ge 13 ] || echo "armpmu --help lists $(wc -l <verbs) verbs"
while read -r verb; do
    grep -q "armpmu-$verb(1)" tool || echo "armpmu(1) does not name armpmu-$verb(1)"
    armpmu --man "$verb" >"armpmu-$verb.1"
    lint "armpmu-$verb.1"
    page "armpmu-$verb.1" >text
    armpmu "$verb" --help >help
    sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' help >options
    test -s options || echo "armpmu $verb --help has no options"
    sed -n '/^[A-Z ]*$/p' help | grep . >sections
    while read -r line; do
        grep -q -e "$line" text || echo "armpmu-$verb(1) lacks $line"
    done <<END
$(cat options sections)
END
done <verbs
