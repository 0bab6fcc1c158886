# SPDX-License-Identifier: BSD-2-Clause
# Cores that cannot be modelled, and what goes wrong with core files.
armpmu stat --core cortex-a71 true
armpmu stat --core N3 true
armpmu stat --core '' true
armpmu stat --core a72 --core-file /dev/null true
armpmu stat --core a72 --engine=perf true
armpmu stat --core a72 --el0 true
armpmu stat --core arm1176 -e L1D_CACHE true
armpmu stat --core arm1176 -e WBUF_DRAINED true
armpmu stat --core a53 -e L3D_CACHE true
armpmu stat --core a53 -e L1D_CACHE_INVAL true
armpmu stat --core-file no-such-file true
printf 'core cortex-a72\nname mine\nl2.size 3M\n' >file
armpmu stat --core-file file true
printf 'core cortex-a72\n\nl2.siz 2M\n' >file
armpmu stat --core-file file true
printf 'core cortex-a72\n' >file
armpmu stat --core-file file true
armpmu stat --core-file x86 true
echo $?
