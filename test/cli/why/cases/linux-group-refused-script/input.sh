#!/bin/sh
# RK3328 (4x Cortex-A53). Fails with "Invalid argument"; without the braces the numbers come, with (75.01%) beside them.
perf stat --event='{cpu_cycles,inst_retired,l1d_cache,l1d_cache_refill,l2d_cache,l2d_cache_refill,br_pred,r10}' \
    ./decode
