// SPDX-License-Identifier: BSD-2-Clause
// The toy PMU on the random bench: +bug=N plants a bug, +blind hides the state from the comparison.
module toy_top;
  import apmu_pkg::*;

  wire clk, request, write, run;
  wire [1:0] reset, view;
  wire [APMU_PE_COUNT*64-1:0] pe;
  wire [15:0] address;
  wire [6:0] attributes;
  wire [63:0] wdata, rdata;
  apmu_counts_t counts;
  wire [2:0] outcome;
  wire [34:0] syndrome;
  wire [8:0] signals;
  apmu_state_t state;
  apmu_present_t present, shown;
  reg [9:0] bug;
  reg blind;

  initial begin
    if ($value$plusargs("bug=%d", bug) == 0) bug = 0;
    blind = $test$plusargs("blind") != 0;
  end
  assign shown = blind ? 96'd0 : present;

  apmu_bench #(
      .CONFIG({"features=PMUv3p7,AA64EL0,AA64EL1,AA64EL2,AA64EL3,SEL2,RME,SPEv1p2,SPE_DPFZS,PMUv3_SME,HPMN0,",
               "PMUv3_EXT32,Debugv8p4 counters=4 pmceid0=0x4f7fff0f3f pmceid1=0x12001fff slots=4 mpidr=0x80000100"}),
      .LINES(3), .EVENTS(512'h0024_0010_0008), .SIGNALS(32'h183)
  ) bench (
      .clk(clk), .reset(reset), .pe(pe), .request(request), .write(write), .view(view), .address(address),
      .attributes(attributes), .wdata(wdata), .run(run), .counts(counts), .ready(1'b1), .outcome(outcome),
      .syndrome(syndrome), .rdata(rdata), .signals({23'd0, signals}), .state(state), .present(shown)
  );

  toy_pmu pmu (
      .bug(bug), .clk(clk), .reset(reset), .pe(pe), .request(request), .write(write), .view(view), .address(address),
      .attributes(attributes), .wdata(wdata), .run(run), .counts(counts), .outcome(outcome), .syndrome(syndrome),
      .rdata(rdata), .signals(signals), .state(state), .present(present)
  );
endmodule
