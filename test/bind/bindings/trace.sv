// SPDX-License-Identifier: BSD-2-Clause
// Prints the actions of the stimulus and what the model answers, for comparison with other bindings: +actions=N.
module trace;
  import apmu_pkg::*;

  apmu_tb_t tb;
  int actions, kind, outcome;
  apmu_counts_t counts;

  // Calls the function of the binding for the action, one argument at a time.
  function automatic int perform(input int kind);
    if (kind == APMU_READ)
      return apmu_tb_read(tb, apmu_tb_next_view(tb), apmu_tb_next_address(tb), apmu_tb_next_attributes(tb));
    if (kind == APMU_WRITE)
      return apmu_tb_write(tb, apmu_tb_next_view(tb), apmu_tb_next_address(tb), apmu_tb_next_attributes(tb),
                           apmu_tb_next_value(tb));
    if (kind == APMU_STATE) apmu_tb_pe_set(tb, apmu_tb_next_row(tb), apmu_tb_next_value(tb));
    if (kind == APMU_STEP) apmu_tb_step(tb, 64'(apmu_tb_next_cycles(tb)), counts);
    if (kind == APMU_RESET) apmu_tb_reset(tb, apmu_tb_next_row(tb));
    return 0;
  endfunction

  initial begin
    if ($value$plusargs("actions=%d", actions) == 0) actions = 10000;
    tb = apmu_tb_create({"features=PMUv3p9,PMUv3_ICNTR,PMUv3_SS,SEBEP,AA64EL0,AA64EL1,AA64EL2,AA64EL3,AA32EL0,SEL2,",
                         "RME,SPE_DPFZS,SPE_EXC,PMUv3_SME,HPMN0,PMUv3_EXT64,PMUv3_EXTPMN,PMUv3_TH2,Debugv8p9 ",
                         "thwidth=12 counters=6 sync_event=8 sync_event_count=1"});
    if (!apmu_tb_usable(tb)) begin
      $display("%s", apmu_tb_fault(tb));
      $finish;
    end
    apmu_tb_line(tb, 0, 8);
    apmu_tb_line(tb, 1, 16);
    apmu_tb_line(tb, 2, 36);
    apmu_tb_seed(tb, 64'd2026);
    for (int i = 0; i < actions; i = i + 1) begin
      kind = apmu_tb_next(tb);
      apmu_tb_next_counts(tb, counts);
      $display("%0d %s", i, apmu_tb_next_text(tb));
      outcome = perform(kind);
      $display("%0d %h %h %h %h %s", outcome, apmu_tb_value(tb), apmu_tb_syndrome(tb), apmu_tb_signals(tb),
               apmu_tb_overflowed(tb), apmu_tb_control(tb));
      if (kind == APMU_STEP) $display("%h %s", apmu_tb_why(tb, 1), apmu_tb_why_text(tb, 1));
    end
    apmu_tb_destroy(tb);
    $finish;
  end
endmodule
