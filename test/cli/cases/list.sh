# SPDX-License-Identifier: BSD-2-Clause
# Lists all events, and events by words.
armpmu list | awk 'END { print NR }'
armpmu list 0x001B
armpmu list -v mem_access_rd READS
armpmu list nosuchword
