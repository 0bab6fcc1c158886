# SPDX-License-Identifier: BSD-2-Clause
# awk -v version=V -v required="PMCEID0 PMCEID1" -f stock.awk stock.txt LOG: checks that each difference in LOG has a
# row in stock.txt, and each row of the version a difference.  `required` has the events that the version of the PMU
# requires, 16 hexadecimal digits each: no implementation may leave one of them out of PMCEID<n>_EL0.
# Returns the outcome in a text "...: OUTCOME, value VALUE".
function outcome(text) {
    sub(/^.*: /, "", text)
    sub(/, value 0x[0-9a-f]+(, CONSTRAINED UNPREDICTABLE)?$/, "", text)
    return text
}
# Returns 1 if the hexadecimal number @number has every bit of @bits; both are without 0x.
function covers(number, bits,    i, digit, other, bit) {
    number = substr("0000000000000000" number, length(number) + 1)
    for (i = 1; i <= 16; i++) {
        digit = index("0123456789abcdef", substr(number, i, 1)) - 1
        other = index("0123456789abcdef", substr(bits, i, 1)) - 1
        for (bit = 8; bit >= 1; bit /= 2) {
            if (int(other / bit) % 2 && !(int(digit / bit) % 2)) {
                return 0
            }
        }
    }
    return 1
}
# Returns the remark for a line about PMCEID<n>, by whether it has the required events.  AArch32 reads words, the upper
# ones as PMCEID2 and PMCEID3.
function events(line,    n, bits, value) {
    n = substr(line, index(line, "PMCEID") + 6, 1)
    bits = substr(required, n % 2 * 17 + 1, 16)
    if (line ~ /read PMCEID[0-3]:/) {
        bits = "00000000" substr(bits, n < 2 ? 9 : 1, 8)
    }
    value = line
    sub(/; want .*/, "", value)
    sub(/.*value 0x/, "", value)
    return covers(value, bits) ? " [other events]" : " [a required event is missing]"
}
BEGIN { FS = "\t" }
NR == FNR {
    if ($0 !~ /^#/ && index(" " $1 " ", " " version " ")) {
        rule[++n] = $2
        verdict[n] = $3
    }
    next
}
/^not ok / {
    i = index($0, "; want ")
    line = $0 (outcome(substr($0, 1, i - 1)) == outcome(": " substr($0, i + 7)) ? " [the value]" : " [the outcome]")
    if (line ~ /PMCEID[0-3].*\[the value\]$/) {
        sub(/ \[the value\]$/, events($0), line)
    }
    listed = 0
    for (i = 1; i <= n && !listed; i++) {
        if (line ~ rule[i]) {
            seen[i]++
            listed = 1
        }
    }
    if (!listed && unlisted++ < 5) {
        print "not ok not listed: " substr(line, 8)
    }
}
/^ok / { alike++ }
END {
    for (i = 1; i <= n; i++) {
        print (seen[i] ? "ok " seen[i] " times: " : "not ok never seen: ") verdict[i]
    }
    print (unlisted ? "not ok differences that are not listed: " unlisted : "ok every difference is listed")
    exit unlisted > 0
}
