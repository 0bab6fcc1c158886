// SPDX-License-Identifier: BSD-2-Clause
// A toy PMU: FEAT_PMUv3p7 with four event counters, AArch64 at four Exception levels, the Realm Management Extension,
// SPE, Streaming mode and the external view in 32-bit layout.  A number `bug` plants the bug of that number, 0 none.
module toy_pmu
  import apmu_pkg::*;
(
    input [9:0] bug,
    input clk,
    input [1:0] reset,       // 1 Cold, 2 Warm
    input [APMU_PE_COUNT*64-1:0] pe,
    input request,
    input write,
    input [1:0] view,
    input [15:0] address,
    input [6:0] attributes,
    input [63:0] wdata,
    input run,               // a cycle passes
    input [255:0] counts,
    output [2:0] outcome,
    output [34:0] syndrome,
    output reg [63:0] rdata,
    output [8:0] signals,
    output apmu_state_t state,
    output apmu_present_t present
);
  localparam [4:0] R_CR = 1, R_CNTENSET = 2, R_CNTENCLR = 3, R_OVSCLR = 4, R_SWINC = 5, R_SELR = 6, R_CEID0 = 7,
      R_CEID1 = 8, R_CCNTR = 9, R_XTYPER = 10, R_XCNTR = 11, R_USERENR = 12, R_OVSSET = 13, R_INTENSET = 14,
      R_INTENCLR = 15, R_MIR = 16, R_CNTR = 17, R_TYPER = 18, R_CCFILTR = 19;
  localparam [63:0] CEID0 = 64'h4f7fff0f3f, CEID1 = 64'h12001fff, MIR = 64'h10000004;

  // The state.  Counter 4 is the cycle counter.
  reg [63:0] pmcr;
  reg [31:0] cnten, inten, ovs;
  reg [5:0] selr;
  reg [4:0] userenr;
  reg [319:0] cntr, typer;

  // What bugs remember: PMCR_EL0.E of the last counted cycle, whether that was the last cycle, the interrupt, and the
  // width of each event counter when it was last written.
  reg enabled_then, ran, irq_then, carry_then, froze;
  reg [3:0] wide_then, raised;

  // What a write changes.
  wire [63:0] cr_mask = 64'h1_0000_02A1 ^ (bug == 89 ? 64'h200 : 64'h0) ^ (bug == 90 ? 64'h1_0000_0000 : 64'h0) ^
                        (bug == 93 ? 64'h10 : 64'h0);
  wire [63:0] typer_mask = 64'h0300_0000_FD70_FFFF ^ (bug == 105 ? 64'h0200_0000 : 64'h0) ^
                           (bug == 106 ? 64'h0080_0000 : 64'h0) ^ (bug == 108 ? 64'h0300_0000_0000_0000 : 64'h0);
  wire [63:0] filter_mask = 64'h0300_0000_FD70_0000 ^ (bug == 107 ? 64'hFFFF : 64'h0);
  localparam [31:0] ALL = 32'h8000_000F;

  // ---------------------------------------------------------------------------------------------------------------
  // Decisions.

  wire [1:0] el = pe[APMU_PE_el*64+:2];
  wire [63:0] mdcr_el2 = pe[APMU_PE_MDCR_EL2*64+:64];
  wire el2_enabled = pe[APMU_PE_SCR_EL3*64] || pe[APMU_PE_SCR_EL3*64+18];
  wire limited = el < 2 && el2_enabled;
  wire [4:0] reach = limited ? mdcr_el2[4:0] : 5'd4;  // the event counters that the Exception level accesses
  wire [31:0] reach_mask = 32'h8000_0000 | ((32'd1 << (bug == 515 && el == 0 ? 5'd4 : reach)) - 1);

  wire [2:0] sys_outcome, ext_outcome;
  wire [4:0] reg_id, copy;
  toy_access access (bug, pe, write, address, selr[4:0], userenr[3:0], sys_outcome, syndrome, reg_id, copy);
  toy_ext ext (bug, pe, write, address, attributes, ext_outcome);
  wire is_ext = view == 2;
  assign outcome = is_ext ? ext_outcome : sys_outcome;
  wire performed = request && outcome == 0;

  wire [319:0] next_cntr;
  wire [31:0] next_ovs;
  wire swinc = performed && !is_ext && write && reg_id == R_SWINC;
  toy_count count (bug, pe, run, wdata[3:0] & (bug == 114 ? 4'hF : reach_mask[3:0]) & {4{swinc}}, counts,
                   bug == 401 ? {pmcr[63:1], enabled_then} : pmcr, cnten, inten, ovs, cntr, typer, carry_then, raised,
                   froze, wide_then, next_cntr, next_ovs);

  // ---------------------------------------------------------------------------------------------------------------
  // Signals.

  wire [3:0] first = bug == 310 && mdcr_el2[4:0] == 0 ? 4'hF : 4'((32'd1 << mdcr_el2[4:0]) - 1);
  wire [31:0] asking = ovs & (bug == 141 ? ALL : inten) & (bug == 144 ? cnten : ALL) &
                       ((pmcr[0] || bug == 142 ? {bug != 613, 27'd0, first} : 32'd0) |
                        ((bug == 419 ? pmcr[0] : mdcr_el2[7]) || bug == 143 ? {bug == 613, 27'd0, ~first} : 32'd0)) &
                       ~(bug == 145 ? 32'h8000_0000 : 32'd0);
  wire irq_now = (bug == 190 ? ^asking : |asking) && !(bug == 166 && el == 3) &&
                 !(bug == 719 && pe[APMU_PE_halted*64]);
  wire irq = bug == 420 && !ran ? irq_then : irq_now;
  assign signals = {|(ovs[3:0] & ~first), |(ovs[3:0] & (bug == 147 ? 4'hF : first)) || (bug == 614 && ovs[31]), 5'd0,
                    irq && bug != 146, irq};

  // ---------------------------------------------------------------------------------------------------------------
  // Reads.

  // Returns the value of a register by MRS.  The copy is that of a bank, or of the selected counter.
  function automatic [63:0] sys_value(input [4:0] id, input [4:0] n);
    case (id)
      R_CR: sys_value = (pmcr & ~(bug == 92 ? 64'h40 : 64'h0)) |
                        ({59'd0, bug == 94 ? 5'd4 : (bug == 95 && el == 2) || (bug == 319 && el < 2) ? mdcr_el2[4:0] :
                          reach} << 11);
      R_CNTENSET, R_CNTENCLR: sys_value = {32'd0, cnten & (bug == 101 ? ALL : reach_mask)};
      R_OVSCLR, R_OVSSET: begin
        sys_value = {32'd0, ovs & reach_mask};
        if (bug == 603 && id == R_OVSCLR && el < 2)
          sys_value[31:0] = ovs & (32'h8000_0000 | ((32'd1 << mdcr_el2[4:0]) - 32'd1));
      end
      R_INTENSET, R_INTENCLR: sys_value = {32'd0, inten & reach_mask};
      R_SELR: sys_value = {58'd0, selr};
      R_CEID0: sys_value = CEID0;
      R_CEID1: sys_value = bug == 173 ? CEID0 : CEID1;
      R_CCNTR: sys_value = bug == 174 ? {32'd0, cntr[4*64+:32]} : cntr[4*64+:64];
      R_USERENR: sys_value = {59'd0, userenr};
      R_MIR: sys_value = MIR;
      R_CNTR, R_XCNTR: sys_value = cntr[{n[1], n[0] ^ (bug == 110 && id == R_XCNTR)}*64+:64];
      R_CCFILTR: sys_value = typer[4*64+:64];
      R_TYPER, R_XTYPER: sys_value = n == 31 && bug != 109 ? typer[4*64+:64] : typer[n[1:0]*64+:64];
      default: sys_value = 0;
    endcase
  endfunction

  wire [2:0] which = address[15:3] == 13'h1F ? 3'd4 : {1'b0, address[4:3]};  // the counter of a counter's place
  wire [2:0] type_of = address[7:0] == 8'h7C ? 3'd4 : {1'b0, address[3:2]};
  wire is_counter = address < 16'h020 || address[15:3] == 13'h1F;
  wire is_type = address[11:8] == 4'h4, is_type_high = address[11:8] == 4'hA;
  wire dbgen = pe[APMU_PE_dbgen*64], spiden = pe[APMU_PE_spiden*64];
  wire rlpiden = pe[APMU_PE_rlpiden*64], rtpiden = pe[APMU_PE_rtpiden*64];
  wire secure_debug = dbgen && (spiden || bug == 165), realm_debug = dbgen && rlpiden && !(bug == 718 && !spiden);
  wire root_debug = realm_debug && rtpiden && secure_debug;
  wire [31:0] auth = {4'd0, {2{1'b1, root_debug}}, 8'd0, {2{1'b1, realm_debug}}, 4'd0, {2{1'b1, secure_debug}}, 2'b11,
                      1'b1, dbgen};

  function automatic [63:0] ext_value(input [15:0] at);
    if (is_counter) ext_value = at[2] && bug != 175 ? {32'd0, cntr[which*64+32+:32]} : cntr[which*64+:64];
    else if (is_type) ext_value = {32'd0, typer[type_of*64+:32]};
    else if (is_type_high) ext_value = {32'd0, typer[type_of*64+32+:32]};
    else case (at)
      16'hC00, 16'hC20: ext_value = {32'd0, cnten & (bug == 159 ? reach_mask : ALL)};
      16'hC40, 16'hC60: ext_value = {32'd0, inten};
      16'hC80, 16'hCC0: ext_value = {32'd0, ovs};
      16'hE00: ext_value = bug == 161 ? 64'h00207f03 : 64'h00207f04;
      16'hE04: ext_value = {32'd0, pmcr[31:0]} | (bug == 164 ? 64'h2000 : 64'h0);
      16'hE20: ext_value = {32'd0, CEID0[31:0]};
      16'hE24: ext_value = {32'd0, CEID1[31:0]};
      16'hE28: ext_value = {32'd0, CEID0[63:32]};
      16'hE40: ext_value = MIR;
      16'hFA8: ext_value = 64'h80000100;
      16'hFB8: ext_value = {32'd0, auth};
      16'hFBC: ext_value = bug == 176 ? 64'h47700a16 : 64'h47702a16;
      default: ext_value = 0;
    endcase
    if (attributes[3:0] == 4) ext_value[63:32] = 0;
  endfunction

  // The list names what the functions read: Icarus does not look into functions.
  always @(bug, is_ext, address, attributes, reg_id, copy, pmcr, cnten, inten, ovs, selr, userenr, cntr, typer, el,
           mdcr_el2, reach, reach_mask, which, type_of, is_counter, is_type, is_type_high, auth)
    rdata = is_ext ? ext_value(address) : sys_value(reg_id, copy);

  // ---------------------------------------------------------------------------------------------------------------
  // Writes.

  task write_control(input [63:0] value, input [63:0] bits, input [4:0] limit);
    integer n;
    if (value[1] && !(bug == 307 && !value[0])) begin
      for (n = 0; n < 4; n = n + 1) if (n < limit || bug == 85) cntr[n*64+:64] <= 0;
      if (bug == 84) cntr[4*64+:64] <= 0;
      if (bug == 88) ovs[3:0] <= 0;
    end
    if (value[2] && !(bug == 307 && !value[0])) begin
      if (bug != 177) cntr[4*64+:64] <= 0;
      if (bug == 86 || bug == 306) ovs[31] <= 0;
    end
    if (!(bug == 87 && value[2])) pmcr <= (pmcr & ~(cr_mask & bits)) | (value & cr_mask & bits);
  endtask

  task write_sys(input [4:0] id, input [4:0] n);
    reg [31:0] set;
    set = wdata[31:0] & reach_mask;
    case (id)
      R_CR: write_control(wdata, ~64'd0, bug == 305 ? mdcr_el2[4:0] : bug == 604 && el == 0 ? 5'd4 : reach);
      R_CNTENSET: cnten <= (bug == 96 ? 32'd0 : cnten) | (bug == 102 ? wdata[31:0] & 32'hC000_000F :
                                                            bug == 702 ? set | {wdata[4], 31'd0} : set);
      R_CNTENCLR: cnten <= bug == 97 ? 32'd0 : cnten & ~(bug == 195 ? set & ~32'h4 :
                                                        bug == 703 ? set | ({28'd0, wdata[35:32]} & reach_mask) : set);
      R_INTENSET: inten <= inten | (bug == 98 ? wdata[31:0] & ALL : set);
      R_INTENCLR: inten <= inten & ~(bug == 178 ? set & 32'hF : bug == 320 ? wdata[31:0] & ALL : set);
      R_OVSCLR: ovs <= ovs & ~(bug == 99 ? wdata[31:0] : set);
      R_OVSSET: ovs <= bug == 403 ? ovs ^ set : ovs | (bug == 100 ? 32'd0 : set);
      R_SELR: begin
        selr <= bug == 103 ? wdata[5:0] : bug == 617 && wdata[4:0] != 31 ? {4'd0, wdata[1:0]} : {1'b0, wdata[4:0]};
        if (bug == 191) userenr <= 0;
      end
      R_USERENR: userenr <= bug == 104 ? wdata[4:0] : {1'b0, wdata[3:0]};
      R_CCNTR: cntr[4*64+:64] <= bug == 179 ? {32'd0, wdata[31:0]} : wdata;
      R_CNTR, R_XCNTR: cntr[n[1:0]*64+:64] <= bug == 111 ? {{32{wdata[31]}}, wdata[31:0]} : wdata;
      R_CCFILTR: typer[4*64+:64] <= wdata & filter_mask;
      R_TYPER, R_XTYPER:
        if (n == 31) typer[4*64+:64] <= bug == 109 ? typer[4*64+:64] : wdata & filter_mask;
        else if (!(bug == 606 && cnten[n])) typer[n[1:0]*64+:64] <= wdata & typer_mask &
                                       (bug == 714 && id == R_XTYPER ? 64'hFFFF_FFFF : ~64'd0) &
                                       ~(bug == 196 && n == 3 ? 64'h10_0000 : 64'd0);
      R_SWINC: begin
        cntr <= next_cntr;
        if (bug != 180) ovs <= next_ovs;
      end
      default: ;
    endcase
  endtask

  task write_ext;
    reg [31:0] set;
    set = wdata[31:0] & ALL & (bug == 159 ? reach_mask : ALL);
    if (is_counter) begin
      if (attributes[3:0] == 8 && bug != 157)
        cntr[which*64+:64] <= bug == 406 && which == 4 ? {cntr[which*64+32+:32], wdata[31:0]} : wdata;
      else if (address[2]) cntr[which*64+32+:32] <= wdata[31:0];
      else if (bug == 112) cntr[which*64+:64] <= {{32{wdata[31]}}, wdata[31:0]};
      else if (bug == 181 || bug == 405) cntr[which*64+:64] <= {32'd0, wdata[31:0]};
      else cntr[which*64+:32] <= wdata[31:0];
    end else if (is_type || (is_type_high && bug == 160)) begin
      typer[type_of*64+:32] <= wdata[31:0] & (type_of == 4 ? filter_mask[31:0] : typer_mask[31:0]);
      if (bug == 605 && type_of != 4) typer[type_of*64+32+:32] <= 0;
    end else if (is_type_high) typer[type_of*64+32+:32] <= wdata[31:0] & typer_mask[63:32];
    else case (address)
      16'hC00: cnten <= cnten | set;
      16'hC20: begin
        cnten <= cnten & ~set;
        if (bug == 615) inten <= inten & ~set;
      end
      16'hC40: inten <= inten | set;
      16'hC60: inten <= inten & ~set;
      16'hC80: ovs <= ovs & ~set;
      16'hCC0: ovs <= ovs | set;
      16'hE04: write_control({32'd0, wdata[31:0]}, bug == 182 || bug == 407 ? ~64'd0 : 64'hFFFF_FFFF,
                              bug == 158 ? reach : 5'd4);
      default: ;
    endcase
  endtask

  always @(posedge clk) begin
    if (reset == 1 || reset == 2) begin
      pmcr <= bug == 318 && reset == 2 ? {63'h20, pmcr[0]} : bug == 706 ? {31'd0, pmcr[32], 32'h40} :
              bug == 91 ? 64'h60 : bug == 117 ? 64'h41 : 64'h40;
      if (!(bug == 115 && reset == 2)) cnten <= 0;
      if (!(bug == 116 && reset == 2)) ovs <= 0;
      if (!(bug == 183 && reset == 2)) inten <= 0;
      if (!(bug == 184 && reset == 2)) selr <= 0;
      if (!(bug == 118 && reset == 2)) userenr <= 0;
      if (!(bug == 119 && reset == 2)) typer <= 0;
      if (!(bug == 185 && reset == 2)) cntr <= 0;
    end else if (reset == 3 && bug == 705) begin
      ovs <= 0;
    end else if (performed && write) begin
      if (is_ext) write_ext;
      else write_sys(reg_id, copy);
    end else if (performed && bug == 192 && !is_ext && reg_id == R_OVSCLR) ovs <= 0;  // a read that clears
    else if (run) begin
      cntr <= bug == 193 ? next_cntr & ~(320'd1 << (2 * 64 + 40)) : next_cntr;
      ovs <= bug == 194 ? next_ovs & ~((ovs[0] && next_ovs[1]) ? 32'd2 : 32'd0) : next_ovs;
    end
  end

  wire profiling_stopped = pe[APMU_PE_PMBLIMITR_EL1*64] && pe[APMU_PE_PMBLIMITR_EL1*64+5] &&
                           pe[APMU_PE_PMBSR_EL1*64+17];
  wire writes_counter = performed && write &&
                        (is_ext ? is_counter && which != 4 : reg_id == R_CNTR || reg_id == R_XCNTR);
  wire [1:0] written = is_ext ? which[1:0] : copy[1:0];
  always @(posedge clk) begin
    ran <= run;
    irq_then <= irq;
    if (reset == 1 || reset == 2) {enabled_then, wide_then, carry_then, raised, froze} <= 0;
    else begin
      if (run) begin
        enabled_then <= pmcr[0];
        carry_then <= next_cntr[4*64+:32] == 0 && cntr[4*64+:32] == 32'hFFFFFFFF;
        if (profiling_stopped) froze <= 1;
      end
      raised <= (raised & ovs[3:0]) | (run || swinc ? next_ovs[3:0] & ~ovs[3:0] : 4'd0);
      if (writes_counter) wide_then[written] <= first[written] ? pmcr[7] : mdcr_el2[26];
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The whole state, for the comparison.

  always @* begin
    state = 0;
    present = 0;
    state[0+:256] = cntr[0+:256];
    state[APMU_SLOT_PMCCNTR*64+:64] = cntr[4*64+:64];
    state[APMU_SLOT_TYPER*64+:256] = typer[0+:256];
    state[(APMU_SLOT_TYPER+31)*64+:64] = typer[4*64+:64];
    state[APMU_SLOT_PMCR_EL0*64+:64] = pmcr;
    state[APMU_SLOT_PMCNTENSET_EL0*64+:32] = cnten;
    state[APMU_SLOT_PMINTENSET_EL1*64+:32] = inten;
    state[APMU_SLOT_PMOVSSET_EL0*64+:32] = ovs;
    state[APMU_SLOT_PMSELR_EL0*64+:6] = selr;
    state[APMU_SLOT_PMUSERENR_EL0*64+:5] = userenr;
    present[3:0] = 4'hF;
    present[APMU_SLOT_PMCCNTR] = 1;
    present[APMU_SLOT_TYPER+:4] = 4'hF;
    present[APMU_SLOT_TYPER+31] = 1;
    present[APMU_SLOT_PMCR_EL0+:6] = 6'h3F;
  end
endmodule
