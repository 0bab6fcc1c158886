# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  The tool works from where make install puts it.  The page, section 3 and the bindings may have been
# built or not.
unset MAKEFLAGS MFLAGS # of a parallel make check
make -s -C "$top" B="$B" DESTDIR="$PWD/root" PREFIX=/usr install >/dev/null || exit 1
find root ! -type d | sed 's/^root//' | sort | grep -v -e '/include/armpmu/' -e '/libexec/armpmu/' -e '/page.html$' \
    -e '/man3/' -e '/share/armpmu/bind/' -e '/libarmpmu-tb.so$' -e '/armpmu.vpi$'
grep ^ExecStart= root/usr/lib/systemd/system/armpmu-export.service
root/usr/bin/armpmu stat -x, -e INST_RETIRED -o out loop
sed -e 1,2d -e 's/,[0-9]*,100/,ns,100/' out
printf '#include <armpmu/driver.h>\n#include <armpmu/events.h>\n#include <armpmu/model.h>\n#include <armpmu/version.h>\n
int main(void) { return apmu_event_parse("INST_RETIRED") != 8; }\n' >use.c
"${CC:-cc}" -std=c11 -Wall -Werror -Iroot/usr/include use.c root/usr/lib/libarmpmu.a -o use && ./use
make -s -C "$top" B="$B" DESTDIR="$PWD/root" PREFIX=/usr uninstall
find root ! -type d
