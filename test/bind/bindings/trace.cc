/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what trace.sv prints, by calls from C++. */
#include <cstdlib>

#include "trace.h"

int main(int argc, char **argv)
{
    apmu_tb *tb = apmu_tb_create(trace_config);
    const int actions = argc > 1 ? std::atoi(argv[1]) : 10000;

    if (tb == nullptr || apmu_tb_fault(tb)[0] != '\0') {
        return 1;
    }
    trace_start(tb);
    for (int i = 0; i < actions; i++) {
        const int kind = apmu_tb_next(tb);
        std::printf("%d %s\n", i, apmu_tb_next_text(tb));
        trace_print(tb, apmu_tb_perform(tb), kind);
    }
    apmu_tb_destroy(tb);
    return 0;
}
