# SPDX-License-Identifier: BSD-2-Clause
# bash completion of armpmu, which gives the candidates itself.
_armpmu()
{
    local i word line candidate typed
    local -a words=()

    # bash ends words at '=' and ':' too; put these together again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]} > 0)) && [[ $word == [=:]* || ${words[-1]} == *[=:] ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    word=${words[-1]-}
    # What bash replaces is the part after the last of these.
    typed=${word%"${word##*[=:]}"}

    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files) compopt -o default 2>/dev/null ;;
        :folders) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${word#"$typed"}") ;;
        :commands) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word") ;;
        *)
            candidate=${line%%$'\t'*}
            COMPREPLY+=("${candidate#"$typed"}")
            [[ $candidate == *= ]] && compopt -o nospace 2>/dev/null
            ;;
        esac
    done < <("${COMP_WORDS[0]}" --complete "${words[@]}" 2>/dev/null)
}
complete -F _armpmu armpmu
