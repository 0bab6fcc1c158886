# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  SIGINT to both, as a terminal sends it: the program ends, and the tool prints the counts.
setsid env --default-signal=INT,QUIT armpmu stat -x, -e EXC_SVC wait >ready &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s ready ] || sleep 0.3; done
kill -s INT -- "-$pid"
wait "$pid"
