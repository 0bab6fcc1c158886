// evcount.hpp and a use of it: EL1 firmware of a Cortex-A78 board, single core.
#include <cstdint>
#include "log.hpp"
#include "ring.hpp"

#define PUT(name, value) __asm__ volatile("msr " name ", %0" : : "r"(static_cast<std::uint64_t>(value)) : "memory")
#define GET(name) ({ std::uint64_t v_; __asm__ volatile("mrs %0, " name : "=r"(v_) : : "memory"); v_; })

namespace evc {

inline void sync() { __asm__ volatile("isb" : : : "memory"); }

enum class What : std::uint32_t { Retired = 0x08, L1dAccess = 0x04 };

template <unsigned Slot>
class Event {
    static constexpr std::uint64_t bit = std::uint64_t{1} << Slot;

public:
    explicit Event(What w)
    {
        PUT("pmcntenclr_el0", bit);
        if constexpr (Slot == 4) {
            PUT("pmevtyper4_el0", static_cast<std::uint32_t>(w));
            PUT("pmevcntr4_el0", 0);
        } else {
            PUT("pmevtyper5_el0", static_cast<std::uint32_t>(w));
            PUT("pmevcntr5_el0", 0);
        }
        PUT("pmovsclr_el0", bit);
        sync();
        PUT("pmcntenset_el0", bit);
        sync();
    }
    ~Event() { halt(); }

    void halt()
    {
        sync();
        PUT("pmcntenclr_el0", bit);
        sync();
    }
    std::uint32_t count() const
    {
        if constexpr (Slot == 4)
            return static_cast<std::uint32_t>(GET("pmevcntr4_el0"));
        else
            return static_cast<std::uint32_t>(GET("pmevcntr5_el0"));
    }
};

} // namespace evc

static void enable_pmu()
{
    PUT("pmcr_el0", GET("pmcr_el0") | 1u);
    evc::sync();
}

void measure_ring(Ring &ring)
{
    enable_pmu();
    evc::Event<4> retired{evc::What::Retired};
    evc::Event<5> accesses{evc::What::L1dAccess};

    for (int i = 0; i < 256; i++)
        ring.push(i);
    ring.drain();
    accesses.halt();
    retired.halt();
    log::info("ring: %u instructions, %u L1D accesses\n", retired.count(), accesses.count());
}
