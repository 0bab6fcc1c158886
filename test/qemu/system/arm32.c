/* SPDX-License-Identifier: BSD-2-Clause */
/* For test_stat_arm.sh: compiled sorting, text, floating point and 64-bit division, in one thread. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return x < y ? -1 : x > y;
}

int main(void)
{
    static int numbers[200];
    char text[64] = "";
    double sum = 0;
    uint64_t product = 1, count = 0;

    for (int i = 0; i < 200; i++) {
        numbers[i] = i * 7919 % 211;
    }
    qsort(numbers, 200, sizeof numbers[0], compare);
    for (int i = 0; i < 200; i++) {
        sum += numbers[i] / 3.0;
        product = (product * (uint64_t)(numbers[i] + 1)) % 1000000007;
        if (numbers[i] % 3 == 0 && strlen(text) < 60) {
            strcat(text, "x");
        }
        __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
    }
    printf("%f %llu %s %llu\n", sum, (unsigned long long)product, text, (unsigned long long)count);
    return 0;
}
