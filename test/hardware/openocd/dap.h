/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated chip for a debugger on JTAG: one PE with its PMU behind a debug port.  dap.c has the debug port: TAP,
 * JTAG-DP, and a MEM-AP for the debug APB.  pe.c has the PE: its external debug registers, its CTI, and its PMU, which
 * is our model.  Sources: ADIv5 (IHI 0031) and the Arm ARM, chapters H4 (EDITR and the DCC), H5 (CTI) and H9.
 */
#ifndef ARMPMU_TEST_DAP_H
#define ARMPMU_TEST_DAP_H

#include <armpmu/model.h>

/* Addresses on the debug APB, and the address at which the PE sees the PMU. */
#define PE_DEBUG UINT32_C(0x80410000)
#define PE_CTI UINT32_C(0x80420000)
#define PE_PMU UINT32_C(0x80430000)
#define PE_PMU_MAPPED UINT64_C(0x22030000)

enum { PE_NAMED = 24 };

/* A PE. */
struct pe {
    struct apmu pmu;
    struct apmu_pe as_pmu_sees; /* the PE state that the PMU depends on: EL, Debug state, locks */
    uint64_t x[31], sp, pc, dlr;
    uint32_t pstate, dspsr;
    uint64_t named[PE_NAMED];   /* System registers that keep what is written (pe.c has the list) */
    uint32_t dtrrx, dtrtx, edscr, ctigate, ctiouten[2], ctitrigout;
    bool restarted;             /* EDPRSR.SDR */
    unsigned halts, restarts;
};

/* Makes a Cortex-A72 whose firmware has set up its PMU and waits at EL1 (see pe.c). */
void pe_init(struct pe *pe);

/* Read and write one word on the debug APB.  Return false for an error response. */
bool pe_bus_read(struct pe *pe, uint32_t address, uint32_t *value);
bool pe_bus_write(struct pe *pe, uint32_t address, uint32_t value);

/* A debug port. */
struct dap {
    struct pe *pe;
    unsigned state;             /* of the TAP controller: enum tap_state of dap.c */
    unsigned ir, ir_shift;      /* the instruction register, and its shift stage */
    uint64_t dr;                /* the shift stage of the data register that ir selects */
    uint32_t result;            /* of the previous access */
    uint32_t ctrl, select, csw, tar;
    bool sticky_error;
};

/* Makes a debug port of @pe. */
void dap_init(struct dap *dap, struct pe *pe);

/* Makes a rising edge of TCK. */
void dap_clock(struct dap *dap, bool tms, bool tdi);

/* Returns the level of TDO. */
bool dap_tdo(const struct dap *dap);

#endif
