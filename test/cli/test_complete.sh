# SPDX-License-Identifier: BSD-2-Clause
# Completion: what armpmu --complete offers, that the tool takes what it offers, and bash, zsh and fish with it.
# Runs beside other tests.
. test/lib/tap.sh
tool=$B/armpmu
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Checks that the candidates for the words after WANT, without their texts, are the words of WANT.
offers() { # WANT WORD...
    want=$1
    shift
    "$tool" --complete "$@" >"$dir/out" || not_ok "--complete $*" "status $?"
    got=$(cut -f 1 "$dir/out" | tr '\n' ' ')
    [ "${got% }" = "$want" ]
    expect $? "armpmu $*" "offered '${got% }', not '$want'"
}

offers 'stat' st
offers '--help --version' --
offers 'list' help l
offers '--interval-print' stat --in
offers 'INST_RETIRED' stat -e INST_R
offers 'INST_RETIRED' stat --event inst_r
offers 'inst_retired,LD_RETIRED' stat -e inst_retired,ld_r
offers '--event=LD_RETIRED,BR_RETURN_RETIRED' stat --event=LD_RETIRED,br_return_ret
offers '--core=arm1176' stat --core=arm11
offers 'cortex-a510' decode --core cortex-a51
offers 'S_EL0 S_EL1 S_EL2' why --at s_
offers 'cortex-a72' coverage --core cortex-a72
offers ':files' coverage --intents ''
offers 'cycle' why --counter c
offers 'PMUv3p5,+PMUv3p9' why --features PMUv3p5,+pmuv3p9
offers 'EL1 EL2 EL3' why --cure --level EL
offers 'PMEVTYPER0_EL0' decode PMEVTYPER
offers 'evtCount=' encode PMEVTYPER0_EL0 evt
offers 'evtCount=INST_RETIRED' encode PMEVTYPER0_EL0=0 P=1 evtCount=inst_r
offers 'self' report --sort s
offers 'callgrind collapsed' report --to c
offers ':commands' stat -e INST_RETIRED ''
offers ':files' stat -- ls -
offers ':files' why dump
offers ':files' stat -o out
offers ':folders' stat -L ro
offers 'tf-a el2 :files' audit --profile ''
offers '' nothing x
offers '' stat --repeat ''

# Checks that VERB complains of a value of OPTION that is not offered, and of none that is.
is_taken() { # VALUE [WORD...]
    value=$1
    shift
    "$tool" "$verb" "--$option=$value" "$@" </dev/null >"$dir/out" 2>&1
    ! grep -q "^armpmu $verb: --$option[=:]" "$dir/out"
}
takes() { # VERB OPTION [WORD...]
    verb=$1 option=$2
    shift 2
    "$tool" --complete "$verb" "--$option" '' | grep -v '^:' | cut -f 1 >"$dir/values"
    test -s "$dir/values" && ! is_taken nonsense "$@"
    expect $? "armpmu $verb --$option: a value that is not offered" "it is taken, or nothing is offered"
    refused=
    while read -r value; do
        is_taken "$value" "$@" || refused="$refused $value"
    done <"$dir/values"
    [ -z "$refused" ]
    expect $? "armpmu $verb --$option: what is offered" "refused:$refused"
}
printf 'PMCR_EL0 = 0x41023001\nPMCNTENSET_EL0 = 0x1\n' >"$dir/dump.txt"
for option in at counter level; do
    takes why $option "$dir/dump.txt"
done
takes why dumper
takes why form --cure "$dir/dump.txt"
takes decode core PMCR_EL0
takes decode features PMCR_EL0
takes audit profile "$dir/dump.txt"
takes report by nowhere
takes report to nowhere
words() { tr '\n' ' ' | sed 's/ $//'; }
offers "all $("$tool" why --symptom=all | sed -n 's/^\([a-z]*\): .*/\1/p' | words)" why --symptom ''
offers "auto $("$tool" stat --engine=help | words)" stat --engine ''
"$tool" stat --help | sed '1,/^OPTIONS/d; /^[A-Z]/,$d' >"$dir/options"
offers "$(sed -n 's/^  \(-[a-zA-Z], \|    \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' "$dir/options" | words)" stat --

# The shells.
PATH=$(cd "$B" && pwd):$PATH
shell() { # SHELL WANT GOT
    [ "$2" = "$3" ]
    expect $? "$1: $2" "it has '$3'"
}
if command -v bash >/dev/null; then
    # bash ends words at '=' and ':', unless they are quoted.
    reply() {
        bash -c '. package/completion/armpmu.bash 2>/dev/null
                 COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _armpmu; echo "${COMPREPLY[*]}"' - armpmu "$@" 2>/dev/null
    }
    shell bash 'stat' "$(reply st)"
    shell bash 'INST_RETIRED' "$(reply stat -e INST_R)"
    shell bash 'cortex-a72' "$(reply stat --core = cortex-a72)"
    shell bash 'INST_RETIRED' "$(reply encode PMEVTYPER0_EL0 evtCount = INST_RETI)"
else
    skip bash "no bash"
fi
if command -v fish >/dev/null; then
    reply() { HOME=$dir fish -c "source package/completion/armpmu.fish; complete -C '$1'" | cut -f 1 | tr '\n' ' '; }
    shell fish 'stat ' "$(reply 'armpmu st')"
    shell fish 'S_EL0 S_EL1 S_EL2 ' "$(reply 'armpmu why --at S_')"
    shell fish '--core=cortex-a72 ' "$(reply 'armpmu stat --core=cortex-a72')"
else
    skip fish "no fish"
fi
if command -v zsh >/dev/null; then
    # compadd is replaced by a function that prints what it was given.
    reply() {
        zsh -f -c 'words=("$@"); CURRENT=$#words
                   compadd() { local name=$@[-1]; print -r -- ${(P)name} }; _files() { print files }
                   . package/completion/_armpmu' - "$@"
    }
    shell zsh 'stat' "$(reply armpmu st)"
    shell zsh 'S_EL0 S_EL1 S_EL2' "$(reply armpmu why --at S_)"
    shell zsh 'files' "$(reply armpmu stat -o '')"
else
    skip zsh "no zsh"
fi
summary
