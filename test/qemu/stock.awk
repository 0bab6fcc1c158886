# SPDX-License-Identifier: BSD-2-Clause
# awk -v version=V -f stock.awk stock.txt LOG: each difference of the log has a row, and each row of the version one.
function outcome(text) {
    sub(/^.*: /, "", text)
    sub(/, value 0x[0-9a-f]+(, CONSTRAINED UNPREDICTABLE)?$/, "", text)
    return text
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
