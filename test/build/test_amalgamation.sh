#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The files for vendoring compile without a warning: the model with its names and without, the driver alone and
# beside the model; and need nothing but memcpy, memset, memmove and memcmp.
# Runs beside other tests.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

if ! CC="$CC" python3 tools/amalgamate.py "$dir" >"$dir/out" 2>&1; then
    not_ok "amalgamation" "$(tail -n 1 "$dir/out")"
    summary
fi

compiles() { # NAME FILE FLAGS...
    name=$1 file=$2
    shift 2
    if ! "$CC" -std=c11 -Wall -Wextra -Werror "$@" -c "$dir/$file" -o "$dir/it.o" 2>"$dir/err"; then
        not_ok "amalgamation, $name" "$(grep -m 1 error "$dir/err")"
        return
    fi
    undefined=$(nm -u "$dir/it.o" | awk '{ print $NF }' |
        grep -vxE 'memcpy|memset|memmove|memcmp|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail' | tr '\n' ' ')
    case $undefined in
    "" | apmu_*) ok "amalgamation, $name: $(size "$dir/it.o" | awk 'NR == 2 { print $1 + $2 }') bytes" ;;
    *) not_ok "amalgamation, $name" "undefined: $undefined" ;;
    esac
}
compiles "the model" armpmu_model.c -O1
compiles "the model without names" armpmu_model.c -O1 -DAPMU_WITHOUT_NAMES
compiles "the driver" armpmu_driver.c -O1
compiles "the driver with the model" armpmu_driver.c -O1 -DAPMU_WITH_MODEL
compiles "the driver without names" armpmu_driver.c -O1 -DAPMU_WITHOUT_NAMES
# Each pair has what its header declares: a program that takes every function links.
whole() { # NAME FEWEST HEADERS, FILE FLAGS...
    name=$1 fewest=$2 headers=$3
    shift 3
    {
        for header in $headers; do
            echo "#include \"$header\""
        done
        echo 'static void (*const all[])(void) = {'
        for header in $headers; do
            $CC -std=c11 -DAPMU_INLINE=extern -E -P "$dir/$header" 2>/dev/null
        done | sed -nE -e '/^ *(static|typedef|struct [a-z0-9_]+ \{)/d' \
            -e 's/^ *(extern )?(const )?((struct|enum) )?[A-Za-z0-9_]+ \**(apmu_[a-z0-9_]+)\(.*/\5/p' | sort -u |
            sed 's/.*/    (void (*)(void))&,/'
        echo '};'
        echo 'int main(void) { return all[0] == 0; }'
    } >"$dir/whole.c"
    count=$(grep -c '^    (void' "$dir/whole.c")
    (cd "$dir" && $CC -std=c11 -O1 -w whole.c "$@" -o whole 2>err) && [ "$count" -ge "$fewest" ]
    expect $? "amalgamation, $name: all $count functions link" "$(grep -m 1 -E 'error|undefined' "$dir/err")"
}
whole "the model" 60 armpmu_model.h armpmu_model.c
whole "the driver" 60 armpmu_driver.h armpmu_driver.c
whole "model and driver" 120 "armpmu_model.h armpmu_driver.h" -DAPMU_WITH_MODEL armpmu_model.c armpmu_driver.c
# These are complete: they link, and have what an emulator and firmware need.
cat >"$dir/firmware.c" <<'END'
#include "armpmu_driver.h"
#include "armpmu_model.h"

int main(void)
{
    static struct apmu p;
    struct apmu_config cfg = {.size = sizeof cfg, .counters = 6};
    struct apmu_policy_row rows[APMU_POLICY_ROWS];
    struct apmu_policy_request request = {.level = 3, .counters = 6, .protect = APMU_STATE(EL3)};
    const struct apmu_pe pe = {.el = 1};
    enum apmu_reg reg;
    enum apmu_reg32 reg32;
    size_t count;
    unsigned n;

    cfg.features = request.features = apmu_features_closure(APMU_FEAT(PMUv3p1) | APMU_FEAT(AA64EL1) |
                                                            APMU_FEAT(AA64EL3));
    apmu_init(&p, &cfg);
    return !apmu_reg_by_a64(0xDCE8, &reg, &n) || reg != APMU_REG_PMCCNTR_EL0 ||
           !apmu_reg_by_a32(APMU_A32_KEY(0, 9, 13, 0), &reg32, &n) || reg32 != APMU_REG32_PMCCNTR ||
           apmu_access(&p, &pe, reg, n, false).outcome != APMU_ACCESS_OK || apmu_peek(&p, &pe, reg, n) != 0 ||
           apmu_id_value(APMU_REG_ID_AA64DFR0_EL1, cfg.features) != 0x406 ||
           apmu_policy(&request, rows, APMU_POLICY_ROWS, &count) != APMU_OK || rows[0].why[0] != '\0';
}
END
(cd "$dir" && $CC -std=c11 -Wall -Wextra -Werror -DAPMU_WITHOUT_NAMES firmware.c armpmu_model.c \
    -DAPMU_WITH_MODEL armpmu_driver.c -o firmware 2>err) && "$dir/firmware"
expect $? "amalgamation, model and driver without names in one program" "$(grep -m 1 error "$dir/err")"
# doc/driver.md says what the driver costs firmware for AArch64, with names and without.
cc=aarch64-linux-gnu-gcc
cat >"$dir/image.c" <<'END'
#include "armpmu_driver.h"

static const struct apmu_dev dev = {.ops = &apmu_native_ops};
void start(void);
void *memcpy(void *to, const void *from, size_t n) { return from == to || n == 0 ? to : 0; }
void *memmove(void *to, const void *from, size_t n) { return from == to || n == 0 ? to : 0; }
void *memset(void *to, int byte, size_t n) { return byte == 0 || n == 0 ? to : 0; }
int memcmp(const void *a, const void *b, size_t n) { return a == b || n == 0; }

void start(void)
{
    static struct apmu_pmu pmu;
#if defined(SESSION)
    static struct apmu_session session;
    struct apmu_reading reading;
    const struct apmu_wish wish = {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY};

    if (apmu_pmu_discover(&dev, NULL, &pmu) == APMU_OK &&
        apmu_session_open(&session, &dev, &pmu, &wish, 1, NULL) == APMU_OK) {
        (void)apmu_session_start(&session);
        (void)apmu_session_stop(&session);
        (void)apmu_session_read(&session, &reading);
        (void)apmu_session_close(&session);
    }
#elif defined(POLICY)
    static struct apmu_policy_row rows[APMU_POLICY_ROWS];
    struct apmu_policy_request request = {.level = 3, .protect = APMU_STATE(EL3)};
    struct apmu_policy_entry entry;
    struct apmu_policy_saved saved;
    size_t count;

    (void)apmu_pmu_discover(&dev, NULL, &pmu);
    request.features = apmu_features_closure(pmu.features);
    request.counters = pmu.counters;
    (void)apmu_policy(&request, rows, APMU_POLICY_ROWS, &count);
    (void)apmu_policy_apply(&dev, rows, count);
    apmu_policy_entry(rows, count, &entry);
    apmu_native_policy_enter(&entry, &saved);
    apmu_native_policy_leave(&entry, &saved);
#else
    static struct apmu_pmu_saved saved;

    (void)apmu_pmu_discover(&dev, NULL, &pmu);
    (void)apmu_pmu_save(&dev, &pmu, &saved);
    (void)apmu_pmu_restore(&dev, &pmu, &saved);
#endif
}
END
# Compares a row of the table, the bytes with names and without, with an image that is compiled with -DWHAT.
costs() { # ROW WHAT
    want=$(awk -F ' *[|] *' -v row="$1" 'index($2, row) == 1 { print $3, $4; exit }' doc/driver.md)
    got=
    for names in '' -DAPMU_WITHOUT_NAMES; do
        # shellcheck disable=SC2086
        (cd "$dir" && $cc -std=c11 -Os -ffreestanding -mgeneral-regs-only -mstrict-align -fno-pic -no-pie \
            -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections -nostdlib -static "-D$2" $names \
            -Wl,--gc-sections,-e,start image.c armpmu_driver.c -o image 2>err)
        got="$got$(aarch64-linux-gnu-size "$dir/image" | awk 'NR == 2 { print $1 }') "
    done
    echo "$want $got" | awk 'function near(a, b) { return a > 1000 && b > 0.85 * a && b < 1.15 * a }
        { exit !(NF == 4 && near($1, $3) && near($2, $4)) }'
    expect $? "amalgamation: bytes of $1, as doc/driver.md has them: $got" \
        "doc/driver.md has $want; $(head -n 1 "$dir/err")"
}
if command -v $cc >/dev/null 2>&1; then
    costs 'a session' SESSION
    costs 'the policy' POLICY
    costs 'save and restore' SAVED
else
    skip "amalgamation: bytes in firmware" "no $cc"
fi
summary
