/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what trace.sv prints, from SystemC: external accesses by TLM-2.0, the others by calls. */
#include <cstdlib>

#include <tlm_utils/simple_initiator_socket.h>

#include "../../../bind/systemc/apmu_tlm.h"
#include "trace.h"

struct driver : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<driver> socket;
    apmu_unit &pmu;
    int actions;

    SC_HAS_PROCESS(driver);
    driver(sc_core::sc_module_name name, apmu_unit &unit, int count) :
        sc_core::sc_module(name), socket("socket"), pmu(unit), actions(count)
    {
        SC_THREAD(run);
    }

    int transport(int kind)
    {
        apmu_tb *tb = pmu.handle();
        tlm::tlm_generic_payload payload;
        apmu_access_info info;
        sc_core::sc_time delay;
        const int attributes = apmu_tb_next_attributes(tb);
        std::uint64_t value = apmu_tb_next_value(tb);

        info.pas = attributes >> 4 & 3;
        info.debugger = (attributes >> 6 & 1) != 0;
        payload.set_command(kind == APMU_TB_WRITE ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        payload.set_address(static_cast<std::uint64_t>(apmu_tb_next_address(tb)));
        payload.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
        payload.set_data_length(static_cast<unsigned>(attributes & 15));
        payload.set_extension(&info);
        socket->b_transport(payload, delay);
        payload.clear_extension(&info);
        return info.outcome;
    }

    void run()
    {
        apmu_tb *tb = pmu.handle();

        for (int i = 0; i < actions; i++) {
            const int kind = apmu_tb_next(tb);
            std::printf("%d %s\n", i, apmu_tb_next_text(tb));
            const bool ext = kind <= APMU_TB_WRITE && apmu_tb_next_view(tb) == APMU_TB_EXT;
            const int outcome = ext ? transport(kind) : apmu_tb_perform(tb);
            pmu.settle();
            wait(sc_core::SC_ZERO_TIME);
            if (pmu.pmuirq.read() != ((apmu_tb_signals(tb) & 1) != 0)) {
                std::printf("the signal differs\n");
            }
            trace_print(tb, outcome, kind);
        }
    }
};

int sc_main(int argc, char **argv)
{
    apmu_unit pmu("pmu", trace_config);
    driver source("source", pmu, argc > 1 ? std::atoi(argv[1]) : 10000);
    sc_core::sc_signal<bool> irq;

    source.socket.bind(pmu.socket);
    pmu.pmuirq(irq);
    trace_start(pmu.handle());
    sc_core::sc_start();
    return 0;
}
