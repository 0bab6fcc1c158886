# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  The program's exit status is the tool's.
armpmu stat -e INST_RETIRED -o out -- exit3
