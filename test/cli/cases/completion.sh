# SPDX-License-Identifier: BSD-2-Clause
# The completion for bash.
command -v bash >/dev/null || { echo "no bash" >&2; exit 77; }
armpmu --completion >completion
bash -c '. ./completion
    complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _armpmu; printf "%s\n" "${COMPREPLY[*]}"; }
    complete_words armpmu st
    complete_words armpmu stat --in
    complete_words armpmu stat -e inst_retired,INST_R
    complete_words armpmu help l'
