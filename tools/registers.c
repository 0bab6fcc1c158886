/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints an instruction that accesses each register and copy, and the word that it must assemble to: for witness.sh. */

#include <stdio.h>

#include <armpmu/regs.h>

int main(void)
{
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        const struct apmu_reg_info *info = apmu_reg_info((enum apmu_reg)r);
        for (unsigned n = 0; info->key != 0 && n < info->copies; n++) {
            char name[24];
            const unsigned key = info->key + n;
            apmu_reg_name((enum apmu_reg)r, n, name);
            if (info->readable) {
                printf("%08X mrs x0, %s\n", 0xD5200000u | key << 5, name);
            } else {
                printf("%08X msr %s, x0\n", 0xD5000000u | key << 5, name);
            }
        }
    }
    return 0;
}
