// SPDX-License-Identifier: BSD-2-Clause
// The reference model of a PMU for SystemVerilog, by DPI-C.  bind/tb/tb.h says what each function does.  Compile this
// package before the files that import it, and load libarmpmu-tb.so: -sv_lib libarmpmu-tb, or Verilator's LDFLAGS.
//
// A handle is a chandle.  Vectors are packed, so no simulator needs svdpi.h or an open array.  A function is pure only
// if its result follows from its arguments and nothing else; the others read or write what the handle stands for.
package apmu_pkg;

  typedef chandle apmu_tb_t;

  `include "apmu_types.svh"

  // The unit.
  import "DPI-C" function apmu_tb_t apmu_tb_create(input string cfg);
  import "DPI-C" function string apmu_tb_fault(input apmu_tb_t tb);
  import "DPI-C" pure function longint apmu_tb_number(input string text);
  import "DPI-C" function void apmu_tb_destroy(input apmu_tb_t tb);
  import "DPI-C" function void apmu_tb_reset(input apmu_tb_t tb, input int kind);
  import "DPI-C" function apmu_tb_t apmu_tb_save(input apmu_tb_t tb);
  import "DPI-C" function void apmu_tb_restore(input apmu_tb_t tb, input apmu_tb_t saved);
  import "DPI-C" function string apmu_tb_state_save(input apmu_tb_t tb, input string path);
  import "DPI-C" function string apmu_tb_state_load(input apmu_tb_t tb, input string path);

  // The state of the PE.
  import "DPI-C" pure function int apmu_tb_pe_find(input string name);
  import "DPI-C" pure function int apmu_tb_pe_count();
  import "DPI-C" pure function string apmu_tb_pe_name(input int row);
  import "DPI-C" pure function int apmu_tb_pe_width(input int row);
  import "DPI-C" function void apmu_tb_pe_set(input apmu_tb_t tb, input int row, input longint unsigned value);
  import "DPI-C" function longint unsigned apmu_tb_pe_get(input apmu_tb_t tb, input int row);

  // Accesses.
  import "DPI-C" function int apmu_tb_find(input apmu_tb_t tb, input int view, input string name);
  import "DPI-C" function int apmu_tb_read(input apmu_tb_t tb, input int view, input int address,
                                           input int attributes);
  import "DPI-C" function int apmu_tb_write(input apmu_tb_t tb, input int view, input int address,
                                            input int attributes, input longint unsigned value);
  import "DPI-C" function longint unsigned apmu_tb_value(input apmu_tb_t tb);
  import "DPI-C" function longint unsigned apmu_tb_syndrome(input apmu_tb_t tb);
  import "DPI-C" function string apmu_tb_control(input apmu_tb_t tb);

  // Time.
  import "DPI-C" function void apmu_tb_line(input apmu_tb_t tb, input int line, input int number);
  import "DPI-C" function void apmu_tb_step(input apmu_tb_t tb, input longint unsigned cycles,
                                            input apmu_known_counts_t counts);
  import "DPI-C" function void apmu_tb_snapshot(input apmu_tb_t tb);
  import "DPI-C" function int apmu_tb_retire(input apmu_tb_t tb, input longint unsigned address);
  import "DPI-C" function int unsigned apmu_tb_signals(input apmu_tb_t tb);
  import "DPI-C" function longint unsigned apmu_tb_overflowed(input apmu_tb_t tb);
  import "DPI-C" function longint unsigned apmu_tb_why(input apmu_tb_t tb, input int n);
  import "DPI-C" function string apmu_tb_why_text(input apmu_tb_t tb, input int n);

  // Comparison.
  import "DPI-C" pure function int apmu_tb_slot(input string name);
  import "DPI-C" function string apmu_tb_slot_name(input apmu_tb_t tb, input int slot);
  import "DPI-C" function longint unsigned apmu_tb_stored(input apmu_tb_t tb, input int slot);
  import "DPI-C" function int apmu_tb_compare(input apmu_tb_t tb, input apmu_known_state_t state,
                                              input apmu_known_present_t present);
  import "DPI-C" function int apmu_tb_check(input apmu_tb_t tb, input int outcome, input longint unsigned syndrome,
                                            input longint unsigned value);
  import "DPI-C" function int apmu_tb_check_signals(input apmu_tb_t tb, input int unsigned signals,
                                                    input int unsigned mask);
  import "DPI-C" function int apmu_tb_mismatches(input apmu_tb_t tb);
  import "DPI-C" function string apmu_tb_mismatch(input apmu_tb_t tb, input int i);
  import "DPI-C" function void apmu_tb_forget(input apmu_tb_t tb);

  // Coverage.
  import "DPI-C" pure function int apmu_tb_cover_count();
  import "DPI-C" function string apmu_tb_cover_name(input apmu_tb_t tb, input int i);
  import "DPI-C" function string apmu_tb_cover_rule(input apmu_tb_t tb, input int i);
  import "DPI-C" function int apmu_tb_cover_possible(input apmu_tb_t tb, input int i);
  import "DPI-C" function longint unsigned apmu_tb_cover_hits(input apmu_tb_t tb, input int i);
  import "DPI-C" function void apmu_tb_cover_add(input apmu_tb_t tb, input apmu_tb_t from);
  import "DPI-C" function string apmu_tb_cover_merge(input apmu_tb_t tb, input string path);

  // Stimulus.
  import "DPI-C" function void apmu_tb_seed(input apmu_tb_t tb, input longint unsigned seed);
  import "DPI-C" function int apmu_tb_next(input apmu_tb_t tb);
  import "DPI-C" function int apmu_tb_next_view(input apmu_tb_t tb);
  import "DPI-C" function int apmu_tb_next_address(input apmu_tb_t tb);
  import "DPI-C" function int apmu_tb_next_attributes(input apmu_tb_t tb);
  import "DPI-C" function longint unsigned apmu_tb_next_value(input apmu_tb_t tb);
  import "DPI-C" function int apmu_tb_next_row(input apmu_tb_t tb);
  import "DPI-C" function int apmu_tb_next_cycles(input apmu_tb_t tb);
  import "DPI-C" function void apmu_tb_next_counts(input apmu_tb_t tb, output apmu_known_counts_t counts);
  import "DPI-C" function string apmu_tb_next_text(input apmu_tb_t tb);
  import "DPI-C" function int apmu_tb_perform(input apmu_tb_t tb);

  // Returns 1 if the handle can be used.
  function automatic bit apmu_tb_usable(input apmu_tb_t tb);
    if (tb == null) return 1'b0;
    return apmu_tb_fault(tb) == "";
  endfunction

endpackage
