# SPDX-License-Identifier: BSD-2-Clause
# doxygen.awk: turns our comments into Doxygen's.  @name becomes \p name, but for @code and @endcode alone in a line; a
# < in text becomes \<; and the first comment of a header, which follows the line with the licence, describes the file.
function text(line,  out, word) {
    gsub(/</, "\\<", line)
    while (match(line, /@[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(line, RSTART + 1, RLENGTH - 1)
        out = out substr(line, 1, RSTART - 1) "\\p " word
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}
FNR == 1 { comment = 0; code = 0 }
FNR == 2 && /^\/\*$/ { print "/** \\file"; comment = 1; next }
/^ *\* @code$/ { code = 1; sub(/@/, "\\"); print; next }
/^ *\* @endcode$/ { code = 0; sub(/@/, "\\"); print; next }
{
    start = 1
    if (!comment && match($0, /\/\*\*?<?/)) {
        comment = 1
        start = RSTART + RLENGTH
    }
    if (comment && !code) {
        $0 = substr($0, 1, start - 1) text(substr($0, start))
    }
    if (/\*\//) {
        comment = 0
    }
    print
}
