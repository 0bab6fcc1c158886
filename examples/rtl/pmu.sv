// SPDX-License-Identifier: BSD-2-Clause
// A small PMUv3: four event counters of 32 bits and the cycle counter, behind a plain register port.  The core decides
// which instructions reach it; `sel` is the number of a register below.
//
//   0 PMCR  1 PMCNTENSET  2 PMCNTENCLR  3 PMOVSSET  4 PMOVSCLR  5 PMINTENSET  6 PMINTENCLR  7 PMSELR  8 PMUSERENR
//   9 PMCCNTR  10 PMCCFILTR  11 PMSWINC  12..15 PMEVCNTR<n>  16..19 PMEVTYPER<n>
module pmu (
    input clk,
    input reset,                  // at the rising edge
    input user,                   // the PE is at EL0
    input debug,                  // the PE is in Debug state
    input run,                    // clock enable of the counters
    input [31:0] events,          // a byte each for INST_RETIRED, L1D_CACHE_REFILL, L1D_CACHE, BR_MIS_PRED
    input write,
    input [4:0] sel,
    input [63:0] wdata,
    output reg [63:0] rdata,
    output irq,
    output reg [127:0] counts, types,
    output reg [63:0] cycles,
    output reg [31:0] filter, pmcr, cnten, inten, ovs,
    output reg [4:0] selr,
    output reg [3:0] userenr
);
  localparam [31:0] SET = 32'h8000000f;    // a bit for each counter
  localparam [31:0] TYPE = 32'hc00003ff;   // P, U and evtCount
  localparam [31:0] FILTER = 32'hc0000000; // P and U

  assign irq = pmcr[0] && (ovs & inten) != 0;

  function automatic filtered(input [31:0] type_of, input at_el0);
    filtered = at_el0 ? type_of[30] : type_of[31];
  endfunction

  always @* begin
    case (sel)
      0: rdata = {32'd0, pmcr | 32'h2000}; // PMCR.N is 4
      1, 2: rdata = {32'd0, cnten};
      3, 4: rdata = {32'd0, ovs};
      5, 6: rdata = {32'd0, inten};
      7: rdata = {59'd0, selr};
      8: rdata = {60'd0, userenr};
      9: rdata = cycles;
      10: rdata = {32'd0, filter};
      12, 13, 14, 15: rdata = {32'd0, counts[sel[1:0]*32+:32]};
      16, 17, 18, 19: rdata = {32'd0, types[sel[1:0]*32+:32]};
      default: rdata = 0;
    endcase
  end

  // Returns how often the event of a counter occurs, without CHAIN.
  function automatic [7:0] occurrences(input [9:0] number, input software, input [31:0] times, input counting);
    case (number)
      10'h000: occurrences = {7'd0, software};
      10'h008: occurrences = times[7:0];
      10'h003: occurrences = times[15:8];
      10'h004: occurrences = times[23:16];
      10'h010: occurrences = times[31:24];
      10'h011: occurrences = {7'd0, counting};
      default: occurrences = 0;
    endcase
  endfunction

  reg [32:0] sum;
  reg [3:0] carry;
  reg [7:0] amount;
  reg [64:0] next;
  reg [5:0] phase; // of the divider: cycles counted, modulo 64
  reg increments; // a write of PMSWINC
  integer n;

  // Adds to the counters, and sets the flags of those that overflow.
  task count;
    carry = 0;
    for (n = 0; n < 4; n = n + 1) begin
      amount = occurrences(types[n*32+:10], increments && wdata[n], run ? events : 0, run);
      if (types[n*32+:10] == 10'h1e && (n & 1) == 1) amount = {7'd0, carry[n-1]};
      if (cnten[n] && !filtered(types[n*32+:32], user)) begin
        sum = {1'b0, counts[n*32+:32]} + {25'd0, amount};
        counts[n*32+:32] = sum[31:0];
        carry[n] = sum[32];
      end
    end
    ovs = ovs | {28'd0, carry};
    if (run && cnten[31] && !filtered(filter, user)) begin
      phase = phase + 1;
      if (!pmcr[3] || pmcr[6] || phase == 0) begin // PMCR.D divides by 64 where PMCR.LC is 0
        next = {1'b0, cycles} + 65'd1;
        if (pmcr[6] ? next[64] : next[31:0] == 0) ovs[31] = 1;
        cycles = next[63:0];
      end
    end
  endtask

  task write_register;
    case (sel)
      0: begin
        pmcr = wdata[31:0] & 32'h49; // E, D and LC
        if (wdata[1]) counts = 0;
        if (wdata[2]) {cycles, phase} = 0;
      end
      1: cnten = cnten | (wdata[31:0] & SET);
      2: cnten = cnten & ~wdata[31:0];
      3: ovs = ovs | (wdata[31:0] & SET);
      4: ovs = ovs & ~wdata[31:0];
      5: inten = inten | (wdata[31:0] & SET);
      6: inten = inten & ~wdata[31:0];
      7: selr = wdata[4:0];
      8: userenr = wdata[3:0];
      9: cycles = wdata;
      10: filter = wdata[31:0] & FILTER;
      12, 13, 14, 15: counts[sel[1:0]*32+:32] = wdata[31:0];
      16, 17, 18, 19: types[sel[1:0]*32+:32] = wdata[31:0] & TYPE;
      default: ;
    endcase
  endtask

  always @(posedge clk) begin
    increments = write && sel == 11;
    if (reset) begin
      counts = 0;
      types = 0;
      cycles = 0;
      phase = 0;
      filter = 0;
      pmcr = 0;
      cnten = 0;
      inten = 0;
      ovs = 0;
      selr = 0;
      userenr = 0;
    end else begin
      if ((run || increments) && pmcr[0] && !debug) count;
      if (write) write_register;
    end
  end
endmodule
