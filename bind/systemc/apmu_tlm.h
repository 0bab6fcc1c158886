/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PMU as a SystemC module: the reference model of bind/tb/ behind a TLM-2.0 target socket.
 *
 * The socket is the external view: an address is an offset, and the data length is the size of the access.  A payload
 * may carry an apmu_access_info extension, which says from where the access comes and receives its outcome; without it
 * the access is Non-secure.  transport_dbg() is a debugger's access port.  MRS, MSR and the like are calls of the model
 * with handle().  After such a call, settle() drives the output.
 *
 *     apmu_unit pmu("pmu", "features=PMUv3p7,AA64EL1,PMUv3_EXT64 counters=6");
 *     cpu.socket.bind(pmu.socket);
 *     pmu.pmuirq(irq_wire);
 *
 * Link with libarmpmu-tb.so and libsystemc.
 */
#ifndef ARMPMU_BIND_TLM_H
#define ARMPMU_BIND_TLM_H

#include <cstdint>
#include <cstring>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "../tb/tb.h"

/** Says from where an access comes, and how it ended. */
struct apmu_access_info : tlm::tlm_extension<apmu_access_info> {
    int pas = 1;           /**< physical address space: 0 Secure, 1 Non-secure, 2 Root, 3 Realm */
    bool debugger = false; /**< by a debugger's access port */
    int outcome = 0;       /**< filled: what apmu_tb_read() and apmu_tb_write() return */

    tlm::tlm_extension_base *clone() const override
    {
        return new apmu_access_info(*this);
    }
    void copy_from(const tlm::tlm_extension_base &other) override
    {
        *this = static_cast<const apmu_access_info &>(other);
    }
};

/** A PMU with its external view as a target. */
class apmu_unit : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<apmu_unit> socket;
    sc_core::sc_out<bool> pmuirq;

    /** Makes the unit; @config is that of apmu_tb_create().  A wrong configuration is an error of the simulation. */
    apmu_unit(sc_core::sc_module_name name, const char *config) :
        sc_core::sc_module(name), socket("socket"), pmuirq("pmuirq"), tb(apmu_tb_create(config))
    {
        if (tb == nullptr || apmu_tb_fault(tb)[0] != '\0') {
            SC_REPORT_FATAL("apmu", tb == nullptr ? "no memory" : apmu_tb_fault(tb));
        }
        socket.register_b_transport(this, &apmu_unit::transport);
        socket.register_transport_dbg(this, &apmu_unit::transport_debug);
    }
    ~apmu_unit() override
    {
        apmu_tb_destroy(tb);
    }
    apmu_unit(const apmu_unit &) = delete;
    apmu_unit &operator=(const apmu_unit &) = delete;

    /** Returns the handle of the model. */
    apmu_tb *handle()
    {
        return tb;
    }

    /** Drives the output after a call of the model with handle(). */
    void settle()
    {
        pmuirq.write((apmu_tb_signals(tb) & 1) != 0);
    }

private:
    apmu_tb *tb;

    /* Performs an access of 4 or 8 bytes; another length is an error of the model's. */
    int access(tlm::tlm_generic_payload &payload, int pas, bool debugger)
    {
        const unsigned size = payload.get_data_length() <= 8 ? payload.get_data_length() : 0;
        const unsigned space = static_cast<unsigned>(pas), port = debugger;
        const int attributes = static_cast<int>(APMU_TB_ATTRIBUTES(size, space, port));
        const std::uint64_t address = payload.get_address();
        const int offset = address < 0x10000 ? static_cast<int>(address) : 0xFFFF;
        std::uint64_t value = 0;
        int outcome;

        if (payload.is_write()) {
            std::memcpy(&value, payload.get_data_ptr(), size);
            outcome = apmu_tb_write(tb, APMU_TB_EXT, offset, attributes, value);
        } else {
            outcome = apmu_tb_read(tb, APMU_TB_EXT, offset, attributes);
            value = apmu_tb_value(tb);
            std::memcpy(payload.get_data_ptr(), &value, size);
        }
        return outcome;
    }

    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        apmu_access_info *info = payload.get_extension<apmu_access_info>();
        const int outcome = access(payload, info == nullptr ? 1 : info->pas, info != nullptr && info->debugger);
        const bool error = outcome == 6;

        (void)delay;
        if (info != nullptr) {
            info->outcome = outcome;
        }
        payload.set_response_status(error ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
        settle();
    }

    unsigned transport_debug(tlm::tlm_generic_payload &payload)
    {
        apmu_access_info *info = payload.get_extension<apmu_access_info>();

        return access(payload, info == nullptr ? 1 : info->pas, true) == 6 ? 0 : payload.get_data_length();
    }
};

#endif
