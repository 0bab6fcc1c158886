# SPDX-License-Identifier: BSD-2-Clause
# Version.
armpmu --version
