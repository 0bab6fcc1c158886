# SPDX-License-Identifier: BSD-2-Clause
# Results that cannot be written: every verb says so and ends with 3, on a full device and on a closed stdout.
[ -w /dev/full ] || { echo "no /dev/full" >&2; exit 77; }
printf 'PMCR_EL0 = 0x41023001\nPMCNTENSET_EL0 = 0x1\n' >dump.txt
for words in --help --version --man '--man why' '--complete s' list 'list -j' 'list --help' 'decode PMCR_EL0=1' \
    'decode -j PMCR_EL0=1' 'decode -f dump.txt' 'decode --registers' 'decode --cores' 'encode PMCR_EL0 E=1' \
    'why dump.txt' 'why -j dump.txt' 'why --cure dump.txt' 'why -c dump.txt' 'why --symptom 22' \
    'audit dump.txt' 'audit -j dump.txt' 'run --help'; do
    armpmu $words >/dev/full 2>full
    full=$?
    armpmu $words >&- 2>closed
    closed=$?
    grep -q 'stdout: .*: No space left on device; ' full || echo "$words: no message of a full device"
    grep -q 'stdout: .*: Bad file descriptor; ' closed || echo "$words: no message of a closed stdout"
    [ "$full $closed" = '3 3' ] || echo "$words: status $full and $closed"
done
