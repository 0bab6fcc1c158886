/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU translates for more than one vCPU as soon as the process maps memory shared, which the C library does when it
 * converts characters.  An inline add then looks up the number of the vCPU each time.  Here it does not, until the
 * process makes its second thread; then all code is discarded, so none is left that relies on the number.  From then on
 * it is looked up, even if the process has one thread again.  A program may make and join one thread after another, and
 * each time all code would be lost.
 *
 * A child of fork has one thread, whose vCPU has the same number as in the parent.  So it is alone if its parent was.
 */
#include "qemu/osdep.h"
#include "qemu/plugin.h"
#include "hw/core/cpu.h"
#include "exec/tb-flush.h"
#include "tcg/tcg.h"
#include "alone.h"

static bool had_threads;

bool armpmu_is_alone(void)
{
    return !had_threads;
}

/*
 * The thread that makes the second one is in a system call, so nothing executes translated code.  QEMU itself discards
 * code only if the process maps no memory shared.
 */
void armpmu_thread_begins(CPUState *cpu)
{
    if (had_threads) {
        return;
    }
    had_threads = true;
    start_exclusive();
#if QEMU_VERSION_MAJOR > 10 || QEMU_VERSION_MINOR >= 2
    tb_flush__exclusive_or_serial();
#else
    tb_flush(cpu);
#endif
    end_exclusive();
}

#if defined(__x86_64__) && !defined(CONFIG_TCG_INTERPRETER)
/*
 * Returns true if each instruction in the buffer of translated code can address @element relative to itself.  User
 * emulators have one region of the buffer, so tcg_ctx describes all of it.
 */
static bool is_near(const char *element)
{
    const char *code = tcg_splitwx_to_rx(tcg_ctx->code_gen_buffer);
    intptr_t highest = element - code;
    intptr_t lowest = highest - (intptr_t)tcg_ctx->code_gen_buffer_size;

    return highest <= INT32_MAX && lowest >= INT32_MIN;
}
#else
static bool is_near(const char *element)
{
    return false;
}
#endif

/* Returns the address of the current vCPU's element of @entry if translated code can use it, otherwise 0. */
static uintptr_t known_address(qemu_plugin_u64 entry)
{
    GArray *elements = entry.score->data;
    char *element = elements->data + current_cpu->cpu_index * (size_t)g_array_get_element_size(elements) + entry.offset;

    return had_threads || !is_near(element) ? 0 : (uintptr_t)element;
}

bool armpmu_emit_add(qemu_plugin_u64 entry, uint64_t value)
{
    const uintptr_t address = known_address(entry);

    if (value > INT32_MAX || address == 0) {
        return false;
    }
    TCGOp *op = tcg_emit_op(INDEX_op_armpmu_add, 2);
    op->args[0] = address;
    op->args[1] = value;
    return true;
}

bool armpmu_emit_check(qemu_plugin_u64 entry, TCGv_i64 value, uint64_t mask)
{
    const uintptr_t address = known_address(entry);

    if (mask > INT8_MAX || address == 0) {
        return false;
    }
    TCGOp *op = tcg_emit_op(INDEX_op_armpmu_check, 3);
    op->args[0] = tcgv_i64_arg(value);
    op->args[1] = mask;
    op->args[2] = address;
    return true;
}
