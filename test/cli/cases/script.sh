# SPDX-License-Identifier: BSD-2-Clause
# A script.
armpmu stat script
