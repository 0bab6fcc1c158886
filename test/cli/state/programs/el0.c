/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the answer of el0_read() for each register, for test_el0_read.sh. */
#include <stdio.h>

#include "../../../../cli/state/el0.h"

int main(void)
{
    static const char *const answers[] = {
        [EL0_VALUE] = "value", [EL0_TRAPPED] = "trapped", [EL0_NOT_HERE] = "not here",
    };

    for (unsigned i = 0; i < EL0_REGISTERS; i++) {
        const char *name;
        uint64_t value;
        const enum el0_answer answer = el0_read(i, &name, &value);

        printf("%s %s 0x%llx\n", name, answers[answer], (unsigned long long)value);
    }
    return 0;
}
