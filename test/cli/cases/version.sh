# SPDX-License-Identifier: BSD-2-Clause
# The version.
armpmu --version
