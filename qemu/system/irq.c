/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMUIRQ on a board that does not wire it.  `-cpu NAME,pmu-irq=N` connects PMUIRQ of CPU 0 to input N of the board's
 * interrupt controller, and those of the other CPUs to the inputs that follow.  QEMU's boards with an ARM11, for
 * example, leave nPMUIRQ open.
 */
#include "vcpu.h"

#include "qapi/error.h"
#include "system/system.h"

/* The interrupt controllers that the option knows, in the order in which they are looked for. */
static const struct {
    const char *type;   /* of the QEMU object */
    const char *inputs; /* the name of its inputs, or NULL if they have none */
} controllers[] = {
    {"pl190", NULL}, {"imx.avic", NULL}, {"bcm2835-ic", "gpu-irq"}, {"integrator_pic", NULL},
    {"realview_gic", NULL}, {"arm-gicv3", NULL}, {"arm_gic", NULL},
};

/* Replaces the name of a type in *@opaque by @o, if @o has that type, and then returns 1 to end the search. */
static int find_type(Object *o, void *opaque)
{
    Object **found = opaque;

    if (object_dynamic_cast(o, (const char *)*found) == NULL) {
        return 0;
    }
    *found = o;
    return 1;
}

/* Returns input @n of the board's interrupt controller; ends the emulator if there is none. */
static qemu_irq input(unsigned n)
{
    for (size_t i = 0; i < ARRAY_SIZE(controllers); i++) {
        Object *found = (Object *)controllers[i].type;

        if (object_child_foreach_recursive(object_get_root(), find_type, &found) != 0) {
            const char *inputs = controllers[i].inputs;
            g_autofree char *name = g_strdup_printf("%s[%u]", inputs == NULL ? "unnamed-gpio-in" : inputs, n);

            if (object_resolve_path_component(found, name) == NULL) {
                error_setg(&error_fatal, "pmu-irq: the board's %s has no input %u", controllers[i].type, n);
            }
            return qdev_get_gpio_in_named(DEVICE(found), inputs, (int)n);
        }
    }
    error_setg(&error_fatal, "pmu-irq: the board has no interrupt controller that this option knows");
    return NULL;
}

/* Connects PMUIRQ of all CPUs, once the board is complete; ends the emulator if the board does so itself. */
static void connect_all(Notifier *notifier, void *opaque)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (vcpu_of_env(cpu_env(cpu)) == NULL) {
            continue;
        }
        if (qdev_get_gpio_out_connector(DEVICE(cpu), "pmu-interrupt", 0) != NULL) {
            error_setg(&error_fatal, "pmu-irq: the board wires PMUIRQ itself: leave the option out");
        }
        qdev_connect_gpio_out_named(DEVICE(cpu), "pmu-interrupt", 0,
                                    input(armpmu_options.irq + (unsigned)cpu->cpu_index));
    }
}

void irq_connect_later(void)
{
    static Notifier once;

    if (once.notify == NULL) {
        once.notify = connect_all;
        qemu_add_machine_init_done_notifier(&once);
    }
}
