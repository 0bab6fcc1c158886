# SPDX-License-Identifier: BSD-2-Clause
# A script in place of an Arm program.
armpmu stat script
