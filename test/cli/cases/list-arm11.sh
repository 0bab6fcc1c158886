# SPDX-License-Identifier: BSD-2-Clause
# The events of ARM11's own unit: those that its model counts, those that it does not, and by a number.
armpmu list --core arm1176 branch
armpmu list --core arm1176 WBUF
armpmu list --core arm1176 0x0011
armpmu list --core ARM1176 modelled | wc -l
