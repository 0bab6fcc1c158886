/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated chip for a debugger on JTAG: one PE with its PMU behind a debug port.  dap.c is the way in (TAP, JTAG-DP,
 * a MEM-AP for the debug APB), pe.c what lies there: the PE's external debug registers and CTI, and the PMU, which is
 * our model.  ADIv5 (IHI 0031) and the Arm ARM, chapters H4 (EDITR and the DCC), H5 (CTI) and H9.
 */
#ifndef ARMPMU_TEST_DAP_H
#define ARMPMU_TEST_DAP_H

#include <armpmu/model.h>

/* The debug APB, and what the PE itself sees of it. */
#define PE_DEBUG UINT32_C(0x80410000)
#define PE_CTI UINT32_C(0x80420000)
#define PE_PMU UINT32_C(0x80430000)
#define PE_PMU_MAPPED UINT64_C(0x22030000)

enum { PE_NAMED = 24 };

struct pe {
    struct apmu pmu;
    struct apmu_pe as_pmu_sees; /* EL, Debug state, locks */
    uint64_t x[31], sp, pc, dlr;
    uint32_t pstate, dspsr;
    uint64_t named[PE_NAMED];   /* System registers that keep what is written (pe.c has the list) */
    uint32_t dtrrx, dtrtx, edscr, ctigate, ctiouten[2], ctitrigout;
    bool restarted;             /* EDPRSR.SDR */
    unsigned halts, restarts;
};

/* A Cortex-A72 whose firmware has set up its PMU and waits at EL1 (pe.c says how). */
void pe_init(struct pe *pe);
/* One word of the debug APB.  False: an error response. */
bool pe_bus_read(struct pe *pe, uint32_t address, uint32_t *value);
bool pe_bus_write(struct pe *pe, uint32_t address, uint32_t value);

struct dap {
    struct pe *pe;
    unsigned state, ir, ir_shift;
    uint64_t dr;
    uint32_t result;            /* of the access before */
    uint32_t ctrl, select, csw, tar;
    bool sticky_error;
};

void dap_init(struct dap *dap, struct pe *pe);
/* A rising edge of TCK. */
void dap_clock(struct dap *dap, bool tms, bool tdi);
bool dap_tdo(const struct dap *dap);

#endif
