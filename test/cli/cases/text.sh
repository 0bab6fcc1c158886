# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  The text for people: default events, times, and what the counts cover.
armpmu stat -- loop
