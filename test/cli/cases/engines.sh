# SPDX-License-Identifier: BSD-2-Clause
# The engines.
armpmu stat --engine=help
