# SPDX-License-Identifier: BSD-2-Clause
# The list in JSON.
armpmu list -j 0x0011
