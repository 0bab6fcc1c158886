// SPDX-License-Identifier: BSD-2-Clause
// A random test bench for a PMU.  It draws actions from the stimulus of the reference model, performs each on the
// design and on the model, and compares answers, signals and, where the design shows it, the whole state.  Connect its
// ports to the design by an adapter (doc/verification.md), and run it with
//
//   +actions=N   the number of actions (100000)       +seed=N      the seed of the stimulus (1)
//   +verbose     print each action                    +coverage    print what was not reached
//   +merge=FILE  add the coverage to that of other    +coverage=all  print how often each row was reached
//                runs in FILE, and report the sum
//
// Numbers are decimal or 0x1F.  It prints each mismatch in a sentence, with the action that showed it, and stops at the
// first; its last line is "PASS: ..." or "FAIL: ...".  After FAIL the exit status of the simulator is not 0.
//
// The bench makes the clock.  Inputs of the design change while it is low, and the design samples them at its rising
// edge.  In a cycle with `run` = 1 the PMU counts; in the others the clock of its counters is stopped.
module apmu_bench
  import apmu_pkg::*;
#(
    parameter CONFIG = "features=PMUv3,AA64EL0,AA64EL1 counters=4",  // of apmu_tb_create()
    parameter int LINES = 1,                                         // lines of events in use
    parameter [511:0] EVENTS = 512'h08,                              // 16 bits for each line: its event
    parameter [31:0] SIGNALS = 32'h1                                 // the signals to compare (apmu_tb_signals())
) (
    output reg clk,
    output reg [1:0] reset,    // in the cycle of a reset: 1 Cold, 2 Warm, 3 External debug reset
    output reg [APMU_PE_COUNT*64-1:0] pe, // 64 bits for each state of the PE
    output reg request,        // an access, until `ready`
    output reg write,
    output reg [1:0] view,
    output reg [15:0] address,
    output reg [6:0] attributes,
    output reg [63:0] wdata,
    output reg run,            // a cycle in which `counts` says what occurs
    output apmu_counts_t counts,
    input ready,               // the answer to the access is there
    input [2:0] outcome,
    input [34:0] syndrome,
    input [63:0] rdata,
    input [31:0] signals,
    input apmu_state_t state,
    input apmu_present_t present // the slots that `state` has; 0 if the design does not show its state
);
  apmu_tb_t tb;
  int kind, differ, ignored;
  longint action, actions, seed;
  reg verbose, reporting;
  int unknown;
  reg got_ready;
  reg [2:0] got_outcome;
  reg [34:0] got_syndrome;
  reg [63:0] got_value;

  task tick;
    #4 clk = 1;
    #5 clk = 0;
    #1;
  endtask

  // Ends the simulation with an exit status other than 0.  Icarus has another task for it.
  task fail;
`ifdef __ICARUS__
    $finish_and_return(1);
`else
    $fatal(1, "the bench failed");
`endif
  endtask

  // Reads the numbers of the command line.  A number that cannot be read is -1.
  task take_options;
    string text;
    actions = 100000;
    seed = 1;
    if ($value$plusargs("actions=%s", text) != 0) actions = apmu_tb_number(text);
    if ($value$plusargs("seed=%s", text) != 0) seed = apmu_tb_number(text);
    verbose = $test$plusargs("verbose") != 0;
    if (actions < 1) $display("FAIL: +actions is no number from 1 on; give +actions=100000");
    if (seed < 0) $display("FAIL: +seed is no number; give +seed=1");
    if (actions < 1 || seed < 0) fail;
  endtask

  task start;
    take_options;
    tb = apmu_tb_create(CONFIG);
    if (!apmu_tb_usable(tb)) begin
      $display("FAIL: %s", apmu_tb_fault(tb));
      fail;
    end
    for (int line = 0; line < LINES; line = line + 1) apmu_tb_line(tb, line, {16'd0, EVENTS[line*16+:16]});
    apmu_tb_seed(tb, seed);
    {clk, request, write, run} = 0;
    {pe, view, address, attributes, wdata, counts} = 0;
    reset = 1;
    tick;
    reset = 0;
  endtask

  // Performs an access on the design: its answer counts in the cycle before the edge at which it takes effect.
  task access;
    view = 2'(apmu_tb_next_view(tb));
    address = 16'(apmu_tb_next_address(tb));
    attributes = 7'(apmu_tb_next_attributes(tb));
    wdata = apmu_tb_next_value(tb);
    write = kind == APMU_WRITE;
    request = 1;
    #1;
    while (ready === 1'b0) tick;
    got_ready = ready;
    got_outcome = outcome;
    got_syndrome = syndrome;
    got_value = rdata;
    tick;
    request = 0;
  endtask

  task perform;
    int row;
    int cycles;
    row = apmu_tb_next_row(tb);
    case (kind)
      APMU_STATE: pe[row*64+:64] = apmu_tb_next_value(tb);
      APMU_STEP: begin
        apmu_tb_next_counts(tb, counts);
        cycles = apmu_tb_next_cycles(tb);
        run = 1;
        while (cycles > 0) begin
          tick;
          cycles = cycles - 1;
        end
        run = 0;
      end
      APMU_RESET: begin
        reset = 2'(row + 1);
        tick;
        reset = 0;
      end
      default: access;
    endcase
    #1;
  endtask

  // Says that a port has bits that are X or Z.  `unknown` counts them.
  task note_unknown(input string name);
    unknown = unknown + 1;
    if (reporting) $display("  %s has X", name);
  endtask

  // Looks for X and Z in the answer to an access, as far as the model compares it.
  task look_at_answer;
    if (^got_ready === 1'bx) note_unknown("ready");
    if (^got_outcome === 1'bx) note_unknown("outcome");
    else if (got_outcome == APMU_TRAP && ^got_syndrome === 1'bx) note_unknown("syndrome");
    else if (got_outcome == APMU_OK && kind == APMU_READ && ^got_value === 1'bx) note_unknown("rdata");
  endtask

  // Looks for X and Z in what the model compares.  In a simulator with two states there are none.
  task look_for_unknown;
    unknown = 0;
    if (kind == APMU_READ || kind == APMU_WRITE) look_at_answer;
    if (^(signals & SIGNALS) === 1'bx) note_unknown("signals");
    if (^present === 1'bx) note_unknown("present");
    else if (present != 0)
      for (int slot = 0; slot < APMU_SLOTS; slot = slot + 1)
        if (present[slot] && ^state[slot*64+:64] === 1'bx) note_unknown(apmu_tb_slot_name(tb, slot));
  endtask

  task compare;
    reporting = 0;
    look_for_unknown;
    differ = unknown;
    if (unknown == 0) compare_known;
  endtask

  task compare_known;
    if (kind == APMU_READ || kind == APMU_WRITE)
      differ = apmu_tb_check(tb, {29'd0, got_outcome}, {29'd0, got_syndrome}, got_value);
    if (present != 0) differ = differ + apmu_tb_compare(tb, state, present);
    differ = differ + apmu_tb_check_signals(tb, signals, SIGNALS);
  endtask

  task report;
    $display("action %0d, seed %0d: %s", action, seed, apmu_tb_next_text(tb));
    for (int i = 0; i < apmu_tb_mismatches(tb) && i < 8; i = i + 1) $display("  %s", apmu_tb_mismatch(tb, i));
    reporting = 1;
    if (unknown != 0) look_for_unknown;
    $display("FAIL: the design and the model differ after %0d actions", action + 1);
    fail;
  endtask

  // Adds the coverage of other runs, counts the rows, and prints them as +coverage says.
  task cover_report;
    int rows;
    int reached;
    bit missed;
    bit all;
    string text;
    missed = $test$plusargs("coverage") != 0;
    all = 0;
    if ($value$plusargs("coverage=%s", text) != 0) all = text == "all";
    if ($value$plusargs("merge=%s", text) != 0) begin
      text = apmu_tb_cover_merge(tb, text);
      if (text != "") begin
        $display("FAIL: +merge: %s", text);
        fail;
      end
    end
    rows = 0;
    reached = 0;
    for (int i = 0; i < apmu_tb_cover_count(); i = i + 1)
      if (apmu_tb_cover_possible(tb, i) != 0) begin
        rows = rows + 1;
        if (apmu_tb_cover_hits(tb, i) != 0) reached = reached + 1;
        else if (missed) $display("not reached: %s (%s)", apmu_tb_cover_name(tb, i), apmu_tb_cover_rule(tb, i));
        if (all && apmu_tb_cover_hits(tb, i) != 0)
          $display("reached %0d times: %s (%s)", apmu_tb_cover_hits(tb, i), apmu_tb_cover_name(tb, i),
                   apmu_tb_cover_rule(tb, i));
      end
    $display("PASS: %0d actions, %0d of %0d rows of coverage, seed %0d, %s", actions, reached, rows, seed, CONFIG);
  endtask

  initial begin
    start;
    differ = 0;
    for (action = 0; action < actions && differ == 0; action = action + 1) begin
      kind = apmu_tb_next(tb);
      if (verbose) $display("%0d %s", action, apmu_tb_next_text(tb));
      perform;
      ignored = apmu_tb_perform(tb);
      compare;
      if (differ != 0) report;
    end
    if (differ == 0) begin
      cover_report;
      $finish;
    end
  end
endmodule
