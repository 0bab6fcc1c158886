# SPDX-License-Identifier: BSD-2-Clause
# Wrong command lines, and the complaints.
for words in '' '--nosuch' 'nosuch' 'stat' 'stat --' 'stat --nosuch x' 'stat -Z x' 'stat -e' 'stat --json-output=1 x' \
    'stat -I x x' 'stat -I 0 x' 'stat -I 3600001 x' 'stat -I -1 x' 'stat -I 10ms x' 'stat -j -x, x' 'stat --append x' \
    'stat --engine=nosuch x' 'stat --engine=help x' \
    'help nosuch' 'list -e x' 'stat -e, x'; do
    # shellcheck disable=SC2086 # words
    armpmu $words || echo $?
done
armpmu stat -x '' x || echo $?
armpmu stat -x '
' x || echo $?
