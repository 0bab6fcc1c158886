# SPDX-License-Identifier: BSD-2-Clause
# The list: all events, and those with words.
armpmu list | awk 'END { print NR }'
armpmu list 0x001B
armpmu list -v mem_access_rd READS
armpmu list nosuchword
