/* Cortex-A15, A32, bare metal, with armpmu */
#include <armpmu/native.h>

static struct apmu_session session;

uint64_t measure(void (*work)(void))
{
    static const struct apmu_dev dev = {.ops = &apmu_native_ops};
    const struct apmu_wish wish = {.event = 0x08, .counter = APMU_COUNTER_ANY};
    struct apmu_pmu pmu;
    struct apmu_reading reading;

    apmu_pmu_discover(&dev, NULL, &pmu);
    apmu_session_open(&session, &dev, &pmu, &wish, 1, NULL);
    apmu_session_start(&session);
    work();
    apmu_session_stop(&session);
    apmu_session_read(&session, &reading);
    return reading.count;
}
