// perfmon.hpp / perfmon.cpp - counters of the game console's kernel, Cortex-A57, EL1, four cores.
// boot.S sets MDCR_EL2.HPMN to PMCR_EL0.N and clears the traps before it goes to EL1.
#include <array>
#include <cstddef>
#include <cstdint>
#include "console.hpp"
#include "scheduler.hpp"
#include "spinlock.hpp"
#include "timer.hpp"

namespace pmu {

union Control {
    std::uint32_t word;
    struct {
        std::uint32_t enable : 1;
        std::uint32_t reset_events : 1;
        std::uint32_t reset_cycles : 1;
        std::uint32_t divide : 1;
        std::uint32_t export_events : 1;
        std::uint32_t no_cycles_when_prohibited : 1;
        std::uint32_t long_cycles : 1;
        std::uint32_t : 4;
        std::uint32_t counters : 5;
        std::uint32_t id : 8;
        std::uint32_t implementer : 8;
    };
};

enum class Event : std::uint32_t { l1d_refill = 0x03, retired = 0x08, mispredicted = 0x10, l2d_refill = 0x17 };

struct Sample {
    std::uint64_t cycles;
    std::array<std::uint32_t, 2> events;
};

static inline void barrier() { asm volatile("isb" ::: "memory"); }

static inline Control read_control()
{
    std::uint64_t v;
    asm volatile("mrs %0, pmcr_el0" : "=r"(v));
    Control c;
    c.word = static_cast<std::uint32_t>(v);
    return c;
}

static inline void write_control(Control c)
{
    asm volatile("msr pmcr_el0, %0\n\tisb" ::"r"(static_cast<std::uint64_t>(c.word)) : "memory");
}

constexpr std::uint64_t cycle_bit = std::uint64_t{1} << 31;
constexpr std::uint64_t used = cycle_bit | 0b11;

/* Runs on each core, from the scheduler's per-core start-up. */
void setup_this_core(Event first, Event second)
{
    asm volatile("msr pmcntenclr_el0, %0" ::"r"(used));
    asm volatile("msr pmintenclr_el1, %0" ::"r"(used));
    asm volatile("msr pmccfiltr_el0, xzr");
    asm volatile("msr pmevtyper0_el0, %0" ::"r"(static_cast<std::uint64_t>(first)));
    asm volatile("msr pmevtyper1_el0, %0" ::"r"(static_cast<std::uint64_t>(second)));
    barrier();
    Control c = read_control();
    c.divide = 0;
    c.no_cycles_when_prohibited = 0;
    c.long_cycles = 1;
    c.reset_events = c.reset_cycles = 1;
    c.enable = 1;
    write_control(c);
    asm volatile("msr pmovsclr_el0, %0" ::"r"(used));
    asm volatile("msr pmcntenset_el0, %0\n\tisb" ::"r"(used) : "memory");
}

Sample take()
{
    Sample s{};
    std::uint64_t a, b;
    barrier();
    asm volatile("mrs %0, pmccntr_el0" : "=r"(s.cycles));
    asm volatile("mrs %0, pmevcntr0_el0" : "=r"(a));
    asm volatile("mrs %0, pmevcntr1_el0" : "=r"(b));
    barrier();
    s.events = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
    return s;
}

static Spinlock lock;
static std::array<Sample, 4> last;

void secondary_entry(unsigned core)
{
    setup_this_core(Event::retired, Event::l1d_refill);
    last[core] = take();
    sched::enter_idle(core);
}

/* the frame timer of each core, 60 Hz: the events fit in 32 bits by far */
void on_frame(unsigned core)
{
    const Sample now = take();
    Guard g(lock);
    console::print("core %u: %llu cycles, %u instructions, %u refills\n", core,
                   now.cycles - last[core].cycles, now.events[0] - last[core].events[0],
                   now.events[1] - last[core].events[1]);
    last[core] = now;
}

} // namespace pmu

extern "C" void kernel_main()
{
    console::init(115200);
    pmu::setup_this_core(pmu::Event::retired, pmu::Event::l1d_refill);
    for (unsigned c = 1; c < 4; ++c)
        sched::start_core(c, pmu::secondary_entry);
    timer::every_frame(pmu::on_frame);
    sched::run();
}
