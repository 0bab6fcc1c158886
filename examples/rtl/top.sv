// SPDX-License-Identifier: BSD-2-Clause
// The PMU of pmu.sv on the random bench: an adapter from MRS and MSR to a plain register port.  doc/verification.md has
// the commands.  In a core, the decoder of system registers does what these two blocks do.
module top;
  import apmu_pkg::*;

  wire clk, request, write, run, irq;
  wire [1:0] reset, view;
  wire [APMU_PE_COUNT*64-1:0] pe;
  wire [15:0] address;
  wire [6:0] attributes;
  wire [63:0] wdata, rdata, cycles;
  apmu_counts_t counts;
  reg [2:0] outcome;
  reg [34:0] syndrome;
  wire [127:0] values, types;
  wire [31:0] filter, pmcr, cnten, inten, ovs;
  wire [4:0] selr;
  wire [3:0] userenr;
  wire user = pe[APMU_PE_el*64+:2] == 0;
  apmu_state_t state;
  apmu_present_t present;

  // The core has EL0 and EL1; EL0 can use AArch32 state, which this bench leaves out.
  apmu_bench #(
      .CONFIG({"features=PMUv3,AA64EL0,AA64EL1,AA32EL0 counters=4 views=a64 hold=a32,unattributable ",
               "cycles=64 divider=any beyond=undefined"}),
      .LINES(4), .EVENTS(512'h0010_0004_0003_0008), .SIGNALS(1)
  ) bench (
      .clk(clk), .reset(reset), .pe(pe), .request(request), .write(write), .view(view), .address(address),
      .attributes(attributes), .wdata(wdata), .run(run), .counts(counts), .ready(1'b1), .outcome(outcome),
      .syndrome(syndrome), .rdata(rdata), .signals({31'd0, irq}), .state(state), .present(present)
  );

  // The number of the register, 31 if there is none, and which bits of PMUSERENR_EL0 let EL0 access it.
  reg [4:0] sel;
  reg [3:0] may;
  reg readable, writable, never; // never: not from EL0
  always @* begin
    {readable, writable, never} = 3'b110;
    may = 1; // EN
    case (address)
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd0}: sel = 0;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd1}: sel = 1;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd2}: sel = 2;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd3}: sel = 4;
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd4}: {sel, may, readable} = {5'd11, 4'b0011, 1'b0};      // SW
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd5}: {sel, may} = {5'd7, 4'b1001};                       // ER
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd6}: {sel, writable} = {5'd30, 1'b0};                    // PMCEID0 is 0
      {2'd3, 3'd3, 4'd9, 4'd12, 3'd7}: {sel, writable} = {5'd30, 1'b0};
      {2'd3, 3'd3, 4'd9, 4'd13, 3'd0}: {sel, may} = {5'd9, write ? 4'b0001 : 4'b0101};     // CR
      {2'd3, 3'd3, 4'd9, 4'd13, 3'd1}: sel = selr == 31 ? 10 : selr < 4 ? 16 + selr : 31;  // PMXEVTYPER
      {2'd3, 3'd3, 4'd9, 4'd13, 3'd2}: {sel, may} = {selr < 4 ? 5'd12 + selr : 5'd31, write ? 4'b0001 : 4'b1001};
      {2'd3, 3'd3, 4'd9, 4'd14, 3'd0}: {sel, may, writable} = {5'd8, 4'b1111, !user};
      {2'd3, 3'd3, 4'd9, 4'd14, 3'd3}: sel = 3;
      {2'd3, 3'd0, 4'd9, 4'd14, 3'd1}: {sel, never} = {5'd5, 1'b1};
      {2'd3, 3'd0, 4'd9, 4'd14, 3'd2}: {sel, never} = {5'd6, 1'b1};
      {2'd3, 3'd3, 4'd14, 4'd15, 3'd7}: sel = 10;
      default:
        if (address[15:5] == {2'd3, 3'd3, 4'd14, 2'b10}) begin
          sel = address[4:2] == 0 ? {3'b011, address[1:0]} : 5'd31;
          may = write ? 4'b0001 : 4'b1001;
        end else if (address[15:5] == {2'd3, 3'd3, 4'd14, 2'b11}) begin
          sel = address[4:2] == 0 ? {3'b100, address[1:0]} : 5'd31;
        end else sel = 31;
    endcase
  end

  always @* begin
    outcome = APMU_OK;
    syndrome = 0;
    if (sel == 31 || (write ? !writable : !readable) || (user && never)) outcome = APMU_UNDEFINED;
    else if (user && sel != 8 && (userenr & may) == 0) begin
      outcome = APMU_TRAP; // to EL1 with EC 0x18: op0, op2, op1, CRn, Rt, CRm, direction
      syndrome = {3'd1, 6'h18, 1'b0, 3'd0, address[15:14], address[2:0], address[13:11], address[10:7], 5'd0,
                  address[6:3], !write};
    end
  end

  wire performed = request && outcome == APMU_OK;
  pmu dut (
      .clk(clk), .reset(reset == 1 || reset == 2), .user(user), .debug(pe[APMU_PE_halted*64]), .run(run),
      .events(counts[31:0]), .write(performed && write), .sel(sel), .wdata(wdata), .rdata(rdata),
      .irq(irq), .counts(values), .types(types), .cycles(cycles), .filter(filter), .pmcr(pmcr), .cnten(cnten),
      .inten(inten), .ovs(ovs), .selr(selr), .userenr(userenr)
  );

  // What the design shows: four counters, their types, the cycle counter, its filter, and six registers.
  assign state[0+:4*64] = {32'd0, values[96+:32], 32'd0, values[64+:32], 32'd0, values[32+:32], 32'd0, values[0+:32]};
  assign state[APMU_SLOT_PMCCNTR*64+:64] = cycles;
  assign state[APMU_SLOT_TYPER*64+:4*64] = {32'd0, types[96+:32], 32'd0, types[64+:32], 32'd0, types[32+:32], 32'd0,
                                            types[0+:32]};
  assign state[(APMU_SLOT_TYPER+31)*64+:64] = {32'd0, filter};
  assign state[APMU_SLOT_PMCR_EL0*64+:6*64] = {60'd0, userenr, 59'd0, selr, 32'd0, ovs, 32'd0, inten, 32'd0, cnten,
                                               32'd0, pmcr};
  assign present = 96'hf | 96'h1 << APMU_SLOT_PMCCNTR | 96'hf << APMU_SLOT_TYPER | 96'h1 << (APMU_SLOT_TYPER + 31) |
                   96'h3f << APMU_SLOT_PMCR_EL0;
endmodule
