/* SPDX-License-Identifier: BSD-2-Clause */
/* The debug port: the TAP controller (IEEE 1149.1), the JTAG-DP and a MEM-AP for an APB (ADIv5). */
#include "dap.h"

enum tap_state {
    RESET, IDLE, DR_SELECT, DR_CAPTURE, DR_SHIFT, DR_EXIT1, DR_PAUSE, DR_EXIT2, DR_UPDATE,
    IR_SELECT, IR_CAPTURE, IR_SHIFT, IR_EXIT1, IR_PAUSE, IR_EXIT2, IR_UPDATE,
};

static const uint8_t next_state[16][2] = {
    [RESET] = {IDLE, RESET},            [IDLE] = {IDLE, DR_SELECT},
    [DR_SELECT] = {DR_CAPTURE, IR_SELECT}, [DR_CAPTURE] = {DR_SHIFT, DR_EXIT1},
    [DR_SHIFT] = {DR_SHIFT, DR_EXIT1},  [DR_EXIT1] = {DR_PAUSE, DR_UPDATE},
    [DR_PAUSE] = {DR_PAUSE, DR_EXIT2},  [DR_EXIT2] = {DR_SHIFT, DR_UPDATE},
    [DR_UPDATE] = {IDLE, DR_SELECT},    [IR_SELECT] = {IR_CAPTURE, RESET},
    [IR_CAPTURE] = {IR_SHIFT, IR_EXIT1}, [IR_SHIFT] = {IR_SHIFT, IR_EXIT1},
    [IR_EXIT1] = {IR_PAUSE, IR_UPDATE}, [IR_PAUSE] = {IR_PAUSE, IR_EXIT2},
    [IR_EXIT2] = {IR_SHIFT, IR_UPDATE}, [IR_UPDATE] = {IDLE, DR_SELECT},
};

enum { ABORT = 0x8, DPACC = 0xA, APACC = 0xB, IDCODE = 0xE, BYPASS = 0xF, IR_BITS = 4 };

#define JTAG_IDCODE UINT32_C(0x4BA00477) /* Arm, JTAG-DP */
#define DPIDR UINT32_C(0x4BA01477)
#define AP_IDR UINT32_C(0x44770002)      /* Arm, MEM-AP, APB */
#define AP_NO_ROM_TABLE UINT32_C(0xFFFFFFFF)
#define CSW_WORD 0x2u
#define CSW_INCREMENT 0x10u
#define CSW_ENABLED 0x40u
#define CTRL_REQUESTS UINT32_C(0x50000000) /* CDBGPWRUPREQ and CSYSPWRUPREQ: each is acknowledged in the bit above */
#define CTRL_STICKYERR 0x20u
#define ACK_OK 2u

void dap_init(struct dap *dap, struct pe *pe)
{
    *dap = (struct dap){.pe = pe, .state = RESET, .ir = IDCODE};
}

/* Returns the length of the data register that IR selects. */
static unsigned dr_bits(const struct dap *dap)
{
    return dap->ir == ABORT || dap->ir == DPACC || dap->ir == APACC ? 35 : dap->ir == IDCODE ? 32 : 1;
}

/* Makes an access of the AP to the bus.  Returns 0 and sets the sticky error if it fails. */
static uint32_t bus(struct dap *dap, uint32_t address, bool read, uint32_t data)
{
    uint32_t value = 0;
    const bool good = read ? pe_bus_read(dap->pe, address, &value) : pe_bus_write(dap->pe, address, data);

    dap->sticky_error |= !good;
    return good ? value : 0;
}

static uint32_t ap_access(struct dap *dap, unsigned a, bool read, uint32_t data)
{
    const unsigned reg = (dap->select & 0xF0) | a;
    uint32_t value = 0;

    if (dap->sticky_error || dap->select >> 24 != 0) {
        return 0;
    }
    switch (reg) {
    case 0x00:
        if (!read) {
            dap->csw = (data & ~(UINT32_C(7) | CSW_INCREMENT << 1)) | CSW_WORD | CSW_ENABLED;
        }
        return dap->csw;
    case 0x04:
        if (!read) {
            dap->tar = data;
        }
        return dap->tar;
    case 0x0C:
        value = bus(dap, dap->tar & ~UINT32_C(3), read, data);
        dap->tar += (dap->csw & CSW_INCREMENT) != 0 ? 4 : 0;
        return value;
    case 0x10:
    case 0x14:
    case 0x18:
    case 0x1C:
        return bus(dap, (dap->tar & ~UINT32_C(15)) | (reg & 12), read, data);
    case 0xF8:
        return AP_NO_ROM_TABLE;
    case 0xFC:
        return AP_IDR;
    default:
        return 0;
    }
}

static uint32_t dp_access(struct dap *dap, unsigned a, bool read, uint32_t data)
{
    switch (a) {
    case 0x0:
        return read ? DPIDR : 0;
    case 0x4:
        if ((dap->select & 0xF) != 0) {
            return 0;
        }
        if (!read) {
            dap->sticky_error &= (data & CTRL_STICKYERR) == 0;
            dap->ctrl = data & CTRL_REQUESTS;
        }
        return dap->ctrl | (dap->ctrl & CTRL_REQUESTS) << 1 | (dap->sticky_error ? CTRL_STICKYERR : 0);
    case 0x8:
        if (!read) {
            dap->select = data;
        }
        return dap->select;
    default:
        return 0; /* RDBUFF: this scan returned the previous result */
    }
}

static void capture(struct dap *dap)
{
    dap->dr = dap->ir == IDCODE                        ? JTAG_IDCODE
              : dap->ir == DPACC || dap->ir == APACC ? (uint64_t)dap->result << 3 | ACK_OK
                                                     : 0;
}

static void update(struct dap *dap)
{
    const bool read = (dap->dr & 1) != 0;
    const unsigned a = (unsigned)(dap->dr << 1) & 12;
    const uint32_t data = (uint32_t)(dap->dr >> 3);

    if (dap->ir == DPACC) {
        dap->result = dp_access(dap, a, read, data);
    } else if (dap->ir == APACC) {
        dap->result = ap_access(dap, a, read, data);
    }
}

void dap_clock(struct dap *dap, bool tms, bool tdi)
{
    if (dap->state == DR_SHIFT) {
        dap->dr = dap->dr >> 1 | (uint64_t)tdi << (dr_bits(dap) - 1);
    } else if (dap->state == IR_SHIFT) {
        dap->ir_shift = dap->ir_shift >> 1 | (unsigned)tdi << (IR_BITS - 1);
    }
    dap->state = next_state[dap->state][tms];
    switch (dap->state) {
    case RESET:
        dap->ir = IDCODE;
        break;
    case DR_CAPTURE:
        capture(dap);
        break;
    case DR_UPDATE:
        update(dap);
        break;
    case IR_CAPTURE:
        dap->ir_shift = 1;
        break;
    case IR_UPDATE:
        dap->ir = dap->ir_shift;
        break;
    default:
        break;
    }
}

bool dap_tdo(const struct dap *dap)
{
    return ((dap->state == IR_SHIFT ? dap->ir_shift : dap->dr) & 1) != 0;
}
