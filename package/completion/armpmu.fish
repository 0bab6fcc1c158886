# SPDX-License-Identifier: BSD-2-Clause
# fish completion of armpmu, which gives the candidates itself.
function __armpmu_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] --complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files :folders
                __fish_complete_path (commandline -ct)
            case :commands
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end
complete -c armpmu -f -a '(__armpmu_complete)'
