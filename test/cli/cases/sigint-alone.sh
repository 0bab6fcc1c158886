# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  SIGINT to the tool alone does not end it; SIGTERM is passed on.
env --default-signal=INT,QUIT,TERM armpmu stat -x, -e EXC_SVC wait >ready &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s ready ] || sleep 0.3; done
kill -INT "$pid"
kill -QUIT "$pid"
sleep 0.2
kill -TERM "$pid"
wait "$pid"
