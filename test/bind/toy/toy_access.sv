// SPDX-License-Identifier: BSD-2-Clause
// Decides accesses of the toy PMU by MRS and MSR: their outcome and, if they trap, the syndrome.
module toy_access
  import apmu_pkg::*;
(
    input [9:0] bug,
    input [APMU_PE_COUNT*64-1:0] pe,
    input write,
    input [15:0] key,
    input [4:0] selr,
    input [3:0] userenr,
    output reg [2:0] outcome,
    output reg [34:0] syndrome,
    output reg [4:0] reg_id,  // what is accessed, R_... below
    output reg [4:0] copy     // its copy
);
  // The numbers of the registers, also for toy_pmu.
  localparam [4:0] R_NONE = 0, R_CR = 1, R_CNTENSET = 2, R_CNTENCLR = 3, R_OVSCLR = 4, R_SWINC = 5, R_SELR = 6,
      R_CEID0 = 7, R_CEID1 = 8, R_CCNTR = 9, R_XTYPER = 10, R_XCNTR = 11, R_USERENR = 12, R_OVSSET = 13,
      R_INTENSET = 14, R_INTENCLR = 15, R_MIR = 16, R_CNTR = 17, R_TYPER = 18, R_CCFILTR = 19;

  wire [1:0] el = pe[APMU_PE_el*64+:2];
  wire [63:0] mdcr_el2 = pe[APMU_PE_MDCR_EL2*64+:64];
  wire tpm3 = pe[APMU_PE_MDCR_EL3*64+6] && el != 3 && !(bug == 713 && el == 2);
  wire ns = pe[APMU_PE_SCR_EL3*64];
  wire tge = pe[APMU_PE_HCR_EL2*64+27] && !(bug == 201 && !ns);
  wire el2_enabled = ns || pe[APMU_PE_SCR_EL3*64+18] || bug == 137;
  wire tge_traps = tge && (el2_enabled || bug == 418);
  wire fgten = pe[APMU_PE_SCR_EL3*64+27] || bug == 132;
  wire sdd = (pe[APMU_PE_halted*64] || bug == 518) && pe[APMU_PE_sdd*64] && bug != 139;
  wire [63:0] fgt = write && bug != 133 ? pe[APMU_PE_HDFGWTR_EL2*64+:64] : pe[APMU_PE_HDFGRTR_EL2*64+:64];
  wire en = userenr[0], sw = userenr[1], cr = userenr[2], er = userenr[3];

  // The register at an encoding.
  always @* begin
    reg_id = R_NONE;
    copy = {key[4:3], key[2:0]};
    if (key[15:7] == {2'd3, 3'd3, 4'd14}) begin
      if (key[6:5] == 2 && copy != 31) reg_id = R_CNTR;
      if (key[6:5] == 3) reg_id = copy == 31 ? R_CCFILTR : R_TYPER;
    end else case (key)
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd0}: reg_id = R_CR;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd1}: reg_id = R_CNTENSET;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd2}: reg_id = R_CNTENCLR;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd3}: reg_id = R_OVSCLR;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd4}: reg_id = write ? R_SWINC : R_NONE;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd5}: reg_id = R_SELR;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd6}: reg_id = write ? R_NONE : R_CEID0;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd7}: reg_id = write ? R_NONE : R_CEID1;
      {2'd3, 3'd3, 4'd9, 4'd13, 3'd0}: reg_id = R_CCNTR;
      {2'd3, 3'd3, 4'd9, 4'd13, 3'd1}: reg_id = R_XTYPER;
      {2'd3, 3'd3, 4'd9, 4'd13, 3'd2}: reg_id = R_XCNTR;
      {2'd3, 3'd3, 4'd9, 4'd14, 3'd0}: reg_id = R_USERENR;
      {2'd3, 3'd3, 4'd9, 4'd14, 3'd3}: reg_id = R_OVSSET;
      {2'd3, 3'd0, 4'd9, 4'd14, 3'd1}: reg_id = R_INTENSET;
      {2'd3, 3'd0, 4'd9, 4'd14, 3'd2}: reg_id = R_INTENCLR;
      {2'd3, 3'd0, 4'd9, 4'd14, 3'd6}: reg_id = write ? R_NONE : R_MIR;
      default: reg_id = R_NONE;
    endcase
    if (reg_id != R_CNTR && reg_id != R_TYPER) copy = bug == 404 && selr != 31 ? {2'd0, selr[2:0]} : selr;
  end

  // Whether the access is about an event counter from `limit` on.
  function automatic beyond(input [4:0] limit, input [4:0] id, input [4:0] n);
    case (id)
      R_CNTR, R_TYPER, R_XCNTR: beyond = n >= limit;
      R_XTYPER: beyond = n >= limit && n != 31;
      default: beyond = 0;
    endcase
  endfunction

  // Whether EL0 has no such access, whatever PMUSERENR_EL0 says.
  wire el0_never = (reg_id == R_USERENR && write && bug != 129) || reg_id == R_MIR ||
                   ((reg_id == R_INTENSET || reg_id == R_INTENCLR) && !(bug == 130 && en));

  reg user_refuses, fine;
  always @* begin
    case (reg_id)
      R_SELR: user_refuses = !(en || (er && !(bug == 127 && write)));
      R_XCNTR, R_CNTR: user_refuses = !(en || (er && (!write || bug == 148)) || (bug == 128 && sw));
      R_CCNTR: user_refuses = !(en || (cr && !write && bug != 126));
      R_OVSSET: user_refuses = !(en || (bug == 618 && sw && write));
      R_SWINC: user_refuses = !(en || (sw && bug != 149));
      R_USERENR: user_refuses = bug == 516 && !en;
      default: user_refuses = !en;
    endcase
    case (reg_id)
      R_CR: fine = write && fgt[21];
      R_CNTENSET, R_CNTENCLR: fine = fgt[16];
      R_OVSCLR, R_OVSSET: fine = fgt[18];
      R_SWINC: fine = fgt[20];
      R_SELR: fine = fgt[19];
      R_CEID0, R_CEID1: fine = fgt[58];
      R_CCNTR: fine = fgt[bug == 167 ? 14 : 15];
      R_XTYPER, R_TYPER: fine = fgt[13];
      R_XCNTR, R_CNTR: fine = fgt[12] && !(bug == 620 && reg_id == R_XCNTR);
      R_USERENR: fine = fgt[57];
      R_INTENSET, R_INTENCLR: fine = fgt[bug == 168 ? 16 : 17];
      R_MIR: fine = fgt[22] && bug != 169;
      R_CCFILTR: fine = fgt[bug == 170 ? 15 : 14];
      default: fine = 0;
    endcase
    fine = fine && fgten && !(bug == 134 && el == 0);
  end

  wire [34:0] trap = {3'd0, bug == 135 ? 6'h00 : 6'h18, 1'b0, 3'd0, key[15:14], key[2:0], key[13:11], key[10:7],
                      5'd0, key[6] && bug != 616, key[5:3], bug == 136 ? write : !write};
  wire tpm2 = mdcr_el2[6] && bug != 120 && !(bug == 711 && el == 0 && en) &&
              !(bug == 712 && el == 0 && reg_id == R_USERENR) && !(bug == 200 && reg_id == R_SWINC);
  wire tpmcr = mdcr_el2[5] && (reg_id == R_CR || bug == 121) && bug != 122 && !(bug == 517 && !write);
  wire beyond_hpmn = (beyond(mdcr_el2[4:0], reg_id, copy) && bug != 131) ||
                     (bug == 715 && reg_id == R_CCNTR && mdcr_el2[4:0] == 0) ||
                     (bug == 519 && reg_id == R_XTYPER && copy == 31);
  wire el2_traps = el < 2 && el2_enabled && (fine || tpm2 || tpmcr || beyond_hpmn);
  wire tpm3_first = bug == 124 && tpm3;

  always @* begin
    outcome = 3'(APMU_OK);
    syndrome = 0;
    if (bug == 520 && write && {key[15:1], 1'b0} == {2'd3, 3'd3, 4'd9, 4'd12, 3'd6}) outcome = 3'(APMU_WI);
    else if (reg_id == R_NONE) outcome = 3'(APMU_UNDEFINED);
    else if (beyond(5'd4, reg_id, copy))
      outcome = bug != 138 ? 3'(APMU_UNDEFINED) : write ? 3'(APMU_WI) : 3'(APMU_RAZ);
    else if (el == 0 && el0_never) outcome = 3'(APMU_UNDEFINED);
    else if (el == 0 && user_refuses && !tpm3_first && !(bug == 417 && el2_traps)) begin
      outcome = 3'(APMU_TRAP);
      syndrome = trap | ((tge_traps && bug != 125 ? 35'd2 : 35'd1) << 32);
    end else if (el2_traps && !tpm3_first) begin
      outcome = 3'(APMU_TRAP);
      syndrome = trap | (35'd2 << 32);
    end else if (tpm3 && bug != 123) begin
      outcome = sdd ? 3'(APMU_UNDEFINED) : 3'(APMU_TRAP);
      syndrome = sdd ? 35'd0 : trap | (35'd3 << 32);
    end
  end
endmodule
