# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  -o writes the heading of perf stat -o; --append keeps what the file has.
armpmu stat -x, -e INST_RETIRED -o out loop
armpmu stat -x, -e LD_RETIRED -o out --append loop
sed -e 's/^# started on .*/# started/' -e 's/,[0-9]*,100/,ns,100/' out
