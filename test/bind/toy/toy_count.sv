// SPDX-License-Identifier: BSD-2-Clause
// Counting of the toy PMU: which counters count, what they add, and which overflow, in one cycle.  Counter 4 is the
// cycle counter.  A number `bug` plants the bug of that number; set_*.txt say what those from 301 on are.
module toy_count
  import apmu_pkg::*;
(
    input [9:0] bug,
    input [APMU_PE_COUNT*64-1:0] pe,
    input tick,          // a cycle passes; otherwise software increments counters
    input [3:0] swinc,   // the counters that software increments
    input [255:0] counts,
    input [63:0] pmcr,
    input [31:0] cnten,
    input [31:0] inten,
    input [31:0] ovs,
    input [319:0] cntr,
    input [319:0] typer,
    input carry_then,          // what the cycle counter's high half waits for, with a bug
    input [3:0] raised,        // the event counters whose last flag an overflow set
    input froze,               // whether statistical profiling has stopped counters since the last reset
    input [3:0] wide_then,  // the width of each event counter when it was last written, for a bug
    output reg [319:0] next_cntr,
    output reg [31:0] next_ovs
);
  wire [1:0] el = pe[APMU_PE_el*64+:2];
  wire halted = pe[APMU_PE_halted*64] && !(bug == 198 && el == 3);
  wire sm = pe[APMU_PE_sm*64];
  wire [63:0] mdcr_el2 = pe[APMU_PE_MDCR_EL2*64+:64];
  wire [63:0] mdcr_el3 = pe[APMU_PE_MDCR_EL3*64+:64];
  wire ns = pe[APMU_PE_SCR_EL3*64];
  wire nse = pe[APMU_PE_SCR_EL3*64+62];
  wire realm = ns && nse;
  wire secure_or_el3 = (el == 3 && !(bug == 710 && ns)) || (bug == 26 ? !ns || realm : bug == 25 ? 1'b0 : !ns);

  // Statistical profiling has stopped on a buffer event.
  wire stopped = (pe[APMU_PE_PMBLIMITR_EL1*64] || bug == 36 || bug == 511) &&
                 (pe[APMU_PE_PMBLIMITR_EL1*64+5] || bug == 35) && pe[APMU_PE_PMBSR_EL1*64+17];
  wire tge = pe[APMU_PE_HCR_EL2*64+27] && el == 0;

  wire [4:0] hpmn = (bug == 80 || bug == 310) && mdcr_el2[4:0] == 0 ? 5'd4 : mdcr_el2[4:0];
  wire [3:0] first = bug == 79 ? 4'((32'd1 << (hpmn + 1)) - 1) : 4'((32'd1 << hpmn) - 1);  // the first range

  // Prohibition, by SPME, MPMX and HPMD.
  function automatic prohibited(input r1);
    reg spme, mpmx;
    spme = mdcr_el3[17] || bug == 18;
    mpmx = mdcr_el3[35];
    prohibited = 0;
    if (secure_or_el3 && !spme && (!mpmx || bug == 19) && !(bug == 311 && el == 0) &&
        !(bug == 611 && el == 2)) prohibited = 1;
    if (el == 3 && mpmx && (!spme || (bug == 20 || bug == 312 ? 1'b1 : bug == 21 ? 1'b0 : r1))) prohibited = 1;
    if ((el == 2 || (el == 3 && bug == 23) || (tge && bug == 708)) && (r1 || bug == 22 || bug == 309) && mdcr_el2[17] &&
        !(bug == 24 && !ns) && bug != 186)
      prohibited = 1;
  endfunction

  function automatic frozen(input r1, input [31:0] flags);
    reg fzo, hpmfzo;
    fzo = pmcr[9] && bug != 30 &&
          (|(flags[3:0] & (bug == 27 ? 4'hF : bug == 317 ? first & inten[3:0] :
                           bug == 704 ? first & (raised | ~ovs[3:0]) : first)) ||
           ((bug == 28 || bug == 316) && flags[31]));
    hpmfzo = mdcr_el2[29] && bug != 31 && |(flags[3:0] & (bug == 32 ? first : ~first));
    frozen = r1 ? fzo || (bug == 33 && hpmfzo) ||
                  (pmcr[32] && (stopped || (bug == 707 && froze)) && bug != 34 && !(bug == 610 && el == 3))
                : hpmfzo || (bug == 29 && fzo) || (mdcr_el2[36] && stopped && bug != 37) ||
                  ((bug == 38 || bug == 512) && pmcr[32] && stopped);
  endfunction

  // The filter of the Exception level and Security state, and that of Streaming mode.
  function automatic filtered(input [63:0] t, input cycle);
    reg p, u, nsk, nsu, nsh, m, sh, rlk, rlu, rlh;
    {p, u, nsk, nsu, nsh, m} = t[31:26];
    sh = t[24];
    {rlk, rlu, rlh} = t[22:20];
    case (el)
      2'd0: filtered = !ns ? u : realm ? u != (bug == 49 ? nsu : rlu) : bug == 48 ? u : u != nsu;
      2'd1: filtered = !ns ? p && bug != 61 : realm ? p != rlk && bug != 51
      : bug == 50 ? p : bug == 313 ? p || nsk : p != nsk;
      2'd2: filtered = !ns ? (bug == 53 ? nsh != sh : bug == 314 ? !nsh : nsh == sh)
      : realm ? (bug == 54 ? !nsh : bug == 514 ? nsh == rlk : nsh == rlh)
      : bug == 52 ? nsh : bug == 199 ? nsh == sh : !nsh;
      default: filtered = bug == 55 ? p : m != p;
    endcase
    if (bug == 709 && tge && ns && !realm) filtered = !nsh;
    if ((bug == 60 || (bug == 315 && ns && !realm)) && cycle && el == 2) filtered = 0;
    if (!(cycle && (bug == 59 || bug == 513))) begin
      if (t[57:56] == (bug == 57 ? 2 : 1) && sm && bug != 56) filtered = 1;
      if (t[57:56] == (bug == 57 ? 1 : 2) && !sm) filtered = 1;
      if (t[57:56] == 3 && bug == 58) filtered = 1;
    end
  endfunction

  function automatic counts_event(input integer n, input [31:0] flags);
    reg r1, enabled, unfiltered;
    r1 = first[n[1:0]];
    enabled = r1 ? pmcr[0] || bug == 10 : (mdcr_el2[7] || bug == 12) && (pmcr[0] || (bug != 11 && bug != 308));
    unfiltered = !filtered(typer[n*64+:64], 1'b0);
    if (bug == 304 && n % 2 == 1 && typer[n*64+:16] == 16'h1E) unfiltered = !filtered(typer[(n-1)*64+:64], 1'b0);
    if (bug == 411 && !tick) unfiltered = 1;
    if (bug == 505 && typer[n*64+:16] == 16'h11) unfiltered = !filtered(typer[4*64+:64], 1'b1);
    counts_event = enabled && (cnten[n] || bug == 13) && (!halted || bug == 16) && !prohibited(r1) &&
                   unfiltered &&
                   (!frozen(r1, bug == 608 ? flags & ~(32'd1 << n) : flags) || (bug == 609 && !tick));
  endfunction

  function automatic counts_cycle(input [31:0] flags);
    reg dp;
    dp = bug == 40 || (pmcr[5] && bug != 39);
    counts_cycle = (pmcr[0] || bug == 15) && (cnten[31] || bug == 14) && (!halted || bug == 17 || bug == 510) &&
                   !(dp && (prohibited(bug != 506) || (frozen(1'b1, flags) && bug != 41))) &&
                   !(mdcr_el3[23] && (bug == 42 ? el == 3 : secure_or_el3 || (bug == 507 && realm)) && bug != 43 &&
                     !(bug == 612 && !dp)) &&
                   !(mdcr_el2[23] && (el == 2 || (bug == 45 && el == 3)) && bug != 44 &&
                     !(bug == 508 && (!ns || realm))) &&
                   !(mdcr_el3[34] && (el == 3 || ((bug == 47 || bug == 509) && !ns)) && bug != 46) &&
                   !filtered(typer[4*64+:64], 1'b1) && !(bug == 82 && flags[31]);
  endfunction

  // How often the event of a counter occurs in the cycle: line 0 is INST_RETIRED, 1 BR_MIS_PRED, 2 STALL_BACKEND.
  function automatic [8:0] occurs(input [15:0] number);
    reg [15:0] e;
    e = bug == 75 || bug == 413 ? {6'd0, number[9:0]} : bug == 601 ? {2'd0, number[13:0]} : number;
    case (e)
      16'h08: occurs = {1'b0, counts[7:0]};
      16'h10: occurs = {1'b0, counts[15:8]};
      16'h24: occurs = {1'b0, counts[23:16]};
      16'h11: occurs = bug == 76 ? 9'd0 : 9'd1;
      default: occurs = 9'd0;
    endcase
    if (bug == 69 && occurs > 1) occurs = 1;
    if (bug == 504) occurs = occurs & 9'h3F;
    if (bug == 602 && occurs > 15) occurs = 15;
  endfunction

  reg chain, takes_part, increments, wide, carry;
  reg [8:0] by;
  reg [64:0] sum;
  reg [32:0] low;
  integer n, m;

  // The list names what the functions read: Icarus does not look into functions.
  always @(bug, tick, swinc, counts, pmcr, cnten, inten, ovs, cntr, typer, carry_then, raised, froze,
           wide_then, el, tge, halted, sm, mdcr_el2, mdcr_el3, ns, realm, secure_or_el3, stopped, first) begin
    {takes_part, increments, wide, carry, by, sum, low} = 0;
    next_cntr = cntr;
    next_ovs = ovs;
    chain = 0;
    for (n = 0; n < 4; n = n + 1) begin
      increments = swinc[n] && (typer[n*64+:16] == 0 || bug == 113 || (bug == 412 && typer[n*64+:10] == 0));
      takes_part = tick || increments || chain;
      by = (tick ? occurs(bug == 607 && n % 2 == 0 && typer[n*64+:16] == 16'h1E ? 16'h11 : typer[n*64+:16])
            : {8'd0, increments}) + {8'd0, chain};
      for (m = 0; m < n; m = m + 1)
        if (bug == 720 && tick && typer[m*64+:16] == typer[n*64+:16] && counts_event(m, ovs)) by = {8'd0, chain};
      if (takes_part && (counts_event(n, bug == 81 ? ovs : next_ovs) || (bug == 73 && chain))) begin
        wide = first[n] ? pmcr[7] && bug != 62 : bug == 63 ? pmcr[7] : mdcr_el2[26] && !(bug == 197 && pmcr[7]);
        if (bug == 408) wide = wide_then[n];
        if (bug == 503) wide = n <= hpmn ? pmcr[7] : mdcr_el2[26];
        sum = {1'b0, cntr[n*64+:64]} + {56'd0, by};
        low = {1'b0, cntr[n*64+:32]} + {24'd0, by};
        carry = wide ? sum[64] : bug == 302 ? sum[32] && by != 0 : low[32];
        if (bug == 301) carry = by != 0 && (wide ? sum[63:0] == 0 : low[31:0] == 0);
        if (bug == 67 && by > 1) carry = 0;
        next_cntr[n*64+:64] = sum[63:0];
        if (bug == 65 && !wide) next_cntr[n*64+32+:32] = cntr[n*64+32+:32];
        if (bug == 83 && carry) next_cntr[n*64+:64] = cntr[n*64+:64];
        if (carry && !(bug == 74 && chain) && !(bug == 402 && next_ovs[3:0] != ovs[3:0]))
          next_ovs[bug == 78 && n == 3 ? 2 : n] = 1;
        chain = (carry || (bug == 303 && next_ovs[n])) && (!wide || bug == 72) && n < 3 &&
                (n % 2 == 0 || bug == 70 || bug == 501) && (tick || bug != 410) &&
                typer[((n+1)%4)*64+:16] == 16'h1E && (first[n] == first[(n+1)%4] || bug == 71 || bug == 502);
      end else chain = 0;
    end
    m = 0;
    if (tick && counts_cycle(bug == 81 ? ovs : next_ovs)) begin
      sum = {1'b0, cntr[4*64+:64]} + 65'd1;
      if (bug == 701) sum = {{1'b0, cntr[4*64+32+:32]} + {32'd0, carry_then}, cntr[4*64+:32] + 32'd1};
      next_cntr[4*64+:64] = sum[63:0];
      if (bug == 66 || (bug == 409 && !pmcr[7]) ? cntr[4*64+:32] == 32'hFFFFFFFF : sum[64]) next_ovs[31] = 1;
      if (bug == 68) next_ovs[3:0] = next_ovs[3:0] & ~{3'd0, sum[0]};
    end
  end
endmodule
