// SPDX-License-Identifier: BSD-2-Clause
// The reference model of a PMU for simulators without DPI-C, such as Icarus Verilog: the package of bind/sv/, with the
// same functions, by VPI.  Compile and run with armpmu.vpi.  A handle is a number.
package apmu_pkg;

  typedef longint unsigned apmu_tb_t;

  `include "apmu_types.svh"

  // The unit.
  function automatic apmu_tb_t apmu_tb_create(input string cfg);
    return $apmu_tb_create(cfg);
  endfunction
  function automatic string apmu_tb_fault(input apmu_tb_t tb);
    string text;
    $apmu_tb_fault(tb, text);
    return text;
  endfunction
  function automatic longint apmu_tb_number(input string text);
    return $apmu_tb_number(text);
  endfunction
  function automatic void apmu_tb_destroy(input apmu_tb_t tb);
    $apmu_tb_destroy(tb);
  endfunction
  function automatic void apmu_tb_reset(input apmu_tb_t tb, input int kind);
    $apmu_tb_reset(tb, kind);
  endfunction
  function automatic apmu_tb_t apmu_tb_save(input apmu_tb_t tb);
    return $apmu_tb_save(tb);
  endfunction
  function automatic void apmu_tb_restore(input apmu_tb_t tb, input apmu_tb_t saved);
    $apmu_tb_restore(tb, saved);
  endfunction
  function automatic string apmu_tb_state_save(input apmu_tb_t tb, input string path);
    string text;
    $apmu_tb_state_save(tb, path, text);
    return text;
  endfunction
  function automatic string apmu_tb_state_load(input apmu_tb_t tb, input string path);
    string text;
    $apmu_tb_state_load(tb, path, text);
    return text;
  endfunction

  // The state of the PE.
  function automatic int apmu_tb_pe_find(input string name);
    return $apmu_tb_pe_find(name);
  endfunction
  function automatic int apmu_tb_pe_count();
    return $apmu_tb_pe_count(0);
  endfunction
  function automatic string apmu_tb_pe_name(input int row);
    string text;
    $apmu_tb_pe_name(row, text);
    return text;
  endfunction
  function automatic int apmu_tb_pe_width(input int row);
    return $apmu_tb_pe_width(row);
  endfunction
  function automatic void apmu_tb_pe_set(input apmu_tb_t tb, input int row, input longint unsigned value);
    $apmu_tb_pe_set(tb, row, value);
  endfunction
  function automatic longint unsigned apmu_tb_pe_get(input apmu_tb_t tb, input int row);
    return $apmu_tb_pe_get(tb, row);
  endfunction

  // Accesses.
  function automatic int apmu_tb_find(input apmu_tb_t tb, input int view, input string name);
    return $apmu_tb_find(tb, view, name);
  endfunction
  function automatic int apmu_tb_read(input apmu_tb_t tb, input int view, input int address,
      input int attributes);
    return $apmu_tb_read(tb, view, address, attributes);
  endfunction
  function automatic int apmu_tb_write(input apmu_tb_t tb, input int view, input int address,
      input int attributes, input longint unsigned value);
    return $apmu_tb_write(tb, view, address, attributes, value);
  endfunction
  function automatic longint unsigned apmu_tb_value(input apmu_tb_t tb);
    return $apmu_tb_value(tb);
  endfunction
  function automatic longint unsigned apmu_tb_syndrome(input apmu_tb_t tb);
    return $apmu_tb_syndrome(tb);
  endfunction
  function automatic string apmu_tb_control(input apmu_tb_t tb);
    string text;
    $apmu_tb_control(tb, text);
    return text;
  endfunction

  // Time.
  function automatic void apmu_tb_line(input apmu_tb_t tb, input int line, input int number);
    $apmu_tb_line(tb, line, number);
  endfunction
  function automatic void apmu_tb_step(input apmu_tb_t tb, input longint unsigned cycles,
      input apmu_known_counts_t counts);
    $apmu_tb_step(tb, cycles, counts);
  endfunction
  function automatic void apmu_tb_snapshot(input apmu_tb_t tb);
    $apmu_tb_snapshot(tb);
  endfunction
  function automatic int apmu_tb_retire(input apmu_tb_t tb, input longint unsigned address);
    return $apmu_tb_retire(tb, address);
  endfunction
  function automatic int unsigned apmu_tb_signals(input apmu_tb_t tb);
    return $apmu_tb_signals(tb);
  endfunction
  function automatic longint unsigned apmu_tb_overflowed(input apmu_tb_t tb);
    return $apmu_tb_overflowed(tb);
  endfunction
  function automatic longint unsigned apmu_tb_why(input apmu_tb_t tb, input int n);
    return $apmu_tb_why(tb, n);
  endfunction
  function automatic string apmu_tb_why_text(input apmu_tb_t tb, input int n);
    string text;
    $apmu_tb_why_text(tb, n, text);
    return text;
  endfunction

  // Comparison.
  function automatic int apmu_tb_slot(input string name);
    return $apmu_tb_slot(name);
  endfunction
  function automatic string apmu_tb_slot_name(input apmu_tb_t tb, input int slot);
    string text;
    $apmu_tb_slot_name(tb, slot, text);
    return text;
  endfunction
  function automatic longint unsigned apmu_tb_stored(input apmu_tb_t tb, input int slot);
    return $apmu_tb_stored(tb, slot);
  endfunction
  function automatic int apmu_tb_compare(input apmu_tb_t tb, input apmu_known_state_t state,
      input apmu_known_present_t present);
    return $apmu_tb_compare(tb, state, present);
  endfunction
  function automatic int apmu_tb_check(input apmu_tb_t tb, input int outcome,
      input longint unsigned syndrome, input longint unsigned value);
    return $apmu_tb_check(tb, outcome, syndrome, value);
  endfunction
  function automatic int apmu_tb_check_signals(input apmu_tb_t tb, input int unsigned signals,
      input int unsigned mask);
    return $apmu_tb_check_signals(tb, signals, mask);
  endfunction
  function automatic int apmu_tb_mismatches(input apmu_tb_t tb);
    return $apmu_tb_mismatches(tb);
  endfunction
  function automatic string apmu_tb_mismatch(input apmu_tb_t tb, input int i);
    string text;
    $apmu_tb_mismatch(tb, i, text);
    return text;
  endfunction
  function automatic void apmu_tb_forget(input apmu_tb_t tb);
    $apmu_tb_forget(tb);
  endfunction

  // Coverage.
  function automatic int apmu_tb_cover_count();
    return $apmu_tb_cover_count(0);
  endfunction
  function automatic string apmu_tb_cover_name(input apmu_tb_t tb, input int i);
    string text;
    $apmu_tb_cover_name(tb, i, text);
    return text;
  endfunction
  function automatic string apmu_tb_cover_rule(input apmu_tb_t tb, input int i);
    string text;
    $apmu_tb_cover_rule(tb, i, text);
    return text;
  endfunction
  function automatic int apmu_tb_cover_possible(input apmu_tb_t tb, input int i);
    return $apmu_tb_cover_possible(tb, i);
  endfunction
  function automatic longint unsigned apmu_tb_cover_hits(input apmu_tb_t tb, input int i);
    return $apmu_tb_cover_hits(tb, i);
  endfunction
  function automatic void apmu_tb_cover_add(input apmu_tb_t tb, input apmu_tb_t from);
    $apmu_tb_cover_add(tb, from);
  endfunction
  function automatic string apmu_tb_cover_merge(input apmu_tb_t tb, input string path);
    string text;
    $apmu_tb_cover_merge(tb, path, text);
    return text;
  endfunction

  // Stimulus.
  function automatic void apmu_tb_seed(input apmu_tb_t tb, input longint unsigned seed);
    $apmu_tb_seed(tb, seed);
  endfunction
  function automatic int apmu_tb_next(input apmu_tb_t tb);
    return $apmu_tb_next(tb);
  endfunction
  function automatic int apmu_tb_next_view(input apmu_tb_t tb);
    return $apmu_tb_next_view(tb);
  endfunction
  function automatic int apmu_tb_next_address(input apmu_tb_t tb);
    return $apmu_tb_next_address(tb);
  endfunction
  function automatic int apmu_tb_next_attributes(input apmu_tb_t tb);
    return $apmu_tb_next_attributes(tb);
  endfunction
  function automatic longint unsigned apmu_tb_next_value(input apmu_tb_t tb);
    return $apmu_tb_next_value(tb);
  endfunction
  function automatic int apmu_tb_next_row(input apmu_tb_t tb);
    return $apmu_tb_next_row(tb);
  endfunction
  function automatic int apmu_tb_next_cycles(input apmu_tb_t tb);
    return $apmu_tb_next_cycles(tb);
  endfunction
  // A task, because functions of Icarus have no outputs.
  task automatic apmu_tb_next_counts(input apmu_tb_t tb, output apmu_known_counts_t counts);
    $apmu_tb_next_counts(tb, counts);
  endtask
  function automatic string apmu_tb_next_text(input apmu_tb_t tb);
    string text;
    $apmu_tb_next_text(tb, text);
    return text;
  endfunction
  function automatic int apmu_tb_perform(input apmu_tb_t tb);
    return $apmu_tb_perform(tb);
  endfunction

  // Returns 1 if the handle can be used.
  function automatic bit apmu_tb_usable(input apmu_tb_t tb);
    if (tb == 0) return 1'b0;
    return apmu_tb_fault(tb) == "";
  endfunction

endpackage
