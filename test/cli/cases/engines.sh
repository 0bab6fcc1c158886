# SPDX-License-Identifier: BSD-2-Clause
# The list of engines.
armpmu stat --engine=help
