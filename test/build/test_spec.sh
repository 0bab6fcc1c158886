#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SPEC.md is complete and true: every rule has a row, every row points at code and a test that are there.
set -u
status=0
rows=$(mktemp) || exit 2
trap 'rm -f "$rows"' EXIT
grep -E '^\| ' SPEC.md | grep -vE '^\| (rule|place|function|field|leak) \|' >"$rows"

bad=
while IFS= read -r row; do
    refs=$(printf '%s\n' "$row" | grep -oE '`[^`]+`' | tr -d '`')
    [ "$(printf '%s\n' "$refs" | wc -l)" -ge 2 ] || bad="$bad [too few references: $row]"
    rule=$(printf '%s\n' "$row" | sed 's/^| \([A-Za-z0-9.]*\) .*/\1/')
    for_code=
    while IFS= read -r ref; do
        file=${ref%%:*} name=${ref#*:}
        [ "$name" = "$ref" ] && name=
        if [ ! -f "$file" ]; then
            bad="$bad [no file $file]"
        elif [ -n "$name" ] && ! grep -qF -- "$name" "$file"; then
            bad="$bad [no $name in $file]"
        fi
        case $file in lib/model/* | lib/driver/*) for_code="$for_code $file" ;; esac
    done <<END
$refs
END
    case $rule in
    R[A-Z][A-Z][A-Z][A-Z][A-Z])
        # shellcheck disable=SC2086
        grep -qs "$rule" $for_code tables/reasons.def || bad="$bad [$rule is named in none of$for_code]" ;;
    esac
done <"$rows"
if [ -n "$bad" ]; then echo "not ok SPEC.md rows:$bad"; status=1; else echo "ok SPEC.md: $(wc -l <"$rows") rows point at code and tests"; fi

# The identifiers of section D13.5; the document itself is asked where it lies beside the checkout.
rules='IBTGDJ IBTVLD ICFQVP ICTDHP IDKYFT IFZPQV IHMLGP IHQHYY ILKVKF ILMSFT ILNLLM IPPVQW IQKDTZ ISTZYQ ITBJNR ITLHSZ
       IVQXCB IWMNXT RBHFSF RCSRMB RFGSDP RGKPZH RGNGCW RHSGZX RJDWFF RJRYNM RKQDQS RKYBQW RMMZLZ RMZPBW RTDGMF RWVDWZ'
for seed in ../shared/seeds/002*; do
    [ -f "$seed" ] && rules="$rules $(grep -ohE '\b[RI][A-Z]{5}\b' "$seed" | sort -u | tr '\n' ' ')"
done
missing=
for rule in $rules; do
    grep -q "^| $rule |" SPEC.md || missing="$missing $rule"
done
if [ -n "$missing" ]; then echo "not ok SPEC.md: no row for$missing"; status=1; else echo "ok SPEC.md has every rule of D13.5"; fi

# So has every field of PMCFGR.
missing=
for field in $(sed -n 's/^APMU_FIELD(PMCFGR, \([A-Z]*\),.*/\1/p' tables/fields.def); do
    grep -q "^| PMCFGR\.$field |" SPEC.md || missing="$missing $field"
done
if [ -n "$missing" ]; then echo "not ok SPEC.md: no row for PMCFGR's$missing"; status=1; else echo "ok SPEC.md has every field of PMCFGR"; fi

# Every leak and note of the Secure policy.
missing=
for leak in $(sed -n 's/^POLICY_\(LEAK\|NOTE\)(\([A-Za-z0-9_]*\),.*/\2/p' tables/policy.def); do
    case $leak in id) continue ;; esac
    grep -q "^| $leak |" SPEC.md || missing="$missing $leak"
done
if [ -n "$missing" ]; then echo "not ok SPEC.md: no row for the policy's$missing"; status=1; else echo "ok SPEC.md has every leak of the Secure policy"; fi

# Every field and event of the ARM11 unit; the document itself is asked where it lies beside the checkout.
missing=
for field in $(sed -n 's/^APMU_ARM11_FIELD(\([A-Z0-9]*\), \([A-Za-z0-9]*\),.*/\1.\2/p' tables/arm11.def); do
    grep -q "^| $field |" SPEC.md || missing="$missing $field"
done
events=$(sed -n 's/^APMU_ARM11_EVENT(\(0x[0-9A-F]*\),.*/\1/p' tables/events_arm11.def)
for seed in ../shared/seeds/004*; do
    [ -f "$seed" ] && events="$events $(sed -n 's/^\(0x[0-9A-F]*\)$/\1/p' "$seed" | sed 's/^0x\(.\)$/0x0\1/' | tr '\n' ' ')"
done
for event in $events; do
    grep -q "^| $event |" SPEC.md || missing="$missing $event"
done
for section in 1 2 5 6 7 8; do
    grep -q "^| AN195.$section |" SPEC.md || missing="$missing AN195.$section"
done
if [ -n "$missing" ]; then echo "not ok SPEC.md: no row for$missing"; status=1; else echo "ok SPEC.md has every field and event of ARM11"; fi

# A rule that the code names has a row.
dangling=$(grep -rohE '\b[RI][A-Z]{5}\b' lib/model tables/reasons.def | sort -u | while read -r rule; do
    case $rule in
    IDCODE | INVALI* | REASON | RESERV* | REVAND) continue ;;
    esac
    grep -q "^| $rule |" SPEC.md || printf ' %s' "$rule"
done)
if [ -n "$dangling" ]; then echo "not ok SPEC.md: the code names$dangling, which have no row"; status=1; else echo "ok no rule in the code without a row"; fi
exit $status
