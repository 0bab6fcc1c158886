// SPDX-License-Identifier: BSD-2-Clause
// Types and numbers of apmu_pkg, the same for DPI-C and VPI.  test/bind/test_sv.sh compares them with bind/tb/.

  typedef logic [255:0] apmu_counts_t;   // byte n: how often the event of line n occurs in each cycle
  typedef logic [80*64-1:0] apmu_state_t; // 64 bits for each slot
  typedef logic [95:0] apmu_present_t;   // bit n: slot n is given
  // The same for the functions of the package, which see no X.
  typedef bit [255:0] apmu_known_counts_t;
  typedef bit [80*64-1:0] apmu_known_state_t;
  typedef bit [95:0] apmu_known_present_t;

  // Views, and kinds of actions.
  localparam int APMU_A64 = 0, APMU_A32 = 1, APMU_EXT = 2;
  localparam int APMU_READ = 0, APMU_WRITE = 1, APMU_STATE = 2, APMU_STEP = 3, APMU_RESET = 4;

  // Outcomes of accesses.
  localparam bit [2:0] APMU_OK = 0, APMU_RAZ = 1, APMU_WI = 2, APMU_UNDEFINED = 3, APMU_UNPREDICTABLE = 4,
                       APMU_TRAP = 5, APMU_ERROR = 6;

  // States of the PE.
  localparam int APMU_PE_el = 0;
  localparam int APMU_PE_a32 = 1;
  localparam int APMU_PE_sm = 2;
  localparam int APMU_PE_halted = 3;
  localparam int APMU_PE_sdd = 4;
  localparam int APMU_PE_os_lock = 5;
  localparam int APMU_PE_double_lock = 6;
  localparam int APMU_PE_dbgen = 7;
  localparam int APMU_PE_niden = 8;
  localparam int APMU_PE_spiden = 9;
  localparam int APMU_PE_spniden = 10;
  localparam int APMU_PE_rlpiden = 11;
  localparam int APMU_PE_rtpiden = 12;
  localparam int APMU_PE_core_off = 13;
  localparam int APMU_PE_debug_off = 14;
  localparam int APMU_PE_unattributable = 15;
  localparam int APMU_PE_pm = 16;
  localparam int APMU_PE_ppend = 17;
  localparam int APMU_PE_edecr_pme = 18;
  localparam int APMU_PE_MDCR_EL2 = 19;
  localparam int APMU_PE_MDCR_EL3 = 20;
  localparam int APMU_PE_HCR_EL2 = 21;
  localparam int APMU_PE_SCR_EL3 = 22;
  localparam int APMU_PE_SDER32_EL3 = 23;
  localparam int APMU_PE_HSTR_EL2 = 24;
  localparam int APMU_PE_HDFGRTR_EL2 = 25;
  localparam int APMU_PE_HDFGWTR_EL2 = 26;
  localparam int APMU_PE_HDFGRTR2_EL2 = 27;
  localparam int APMU_PE_HDFGWTR2_EL2 = 28;
  localparam int APMU_PE_PMBLIMITR_EL1 = 29;
  localparam int APMU_PE_PMBSR_EL1 = 30;
  localparam int APMU_PE_PMBSR_EL2 = 31;
  localparam int APMU_PE_PMBSR_EL3 = 32;
  localparam int APMU_PE_PMSCR_EL2 = 33;
  localparam int APMU_PE_sample_valid = 34;
  localparam int APMU_PE_sample_a32 = 35;
  localparam int APMU_PE_sample_el = 36;
  localparam int APMU_PE_sample_ss = 37;
  localparam int APMU_PE_sample_pc = 38;
  localparam int APMU_PE_sample_contextidr_el1 = 39;
  localparam int APMU_PE_sample_contextidr_el2 = 40;
  localparam int APMU_PE_sample_vmid = 41;
  localparam int APMU_PE_COUNT = 42;

  // Slots of a design's state; counter n is slot n, and its event type is slot APMU_SLOT_TYPER + n.
  localparam int APMU_SLOT_PMCCNTR = 31, APMU_SLOT_PMICNTR = 32, APMU_SLOT_TYPER = 33;
  localparam int APMU_SLOT_PMCR_EL0 = 66;
  localparam int APMU_SLOT_PMCNTENSET_EL0 = 67;
  localparam int APMU_SLOT_PMINTENSET_EL1 = 68;
  localparam int APMU_SLOT_PMOVSSET_EL0 = 69;
  localparam int APMU_SLOT_PMSELR_EL0 = 70;
  localparam int APMU_SLOT_PMUSERENR_EL0 = 71;
  localparam int APMU_SLOT_PMUACR_EL1 = 72;
  localparam int APMU_SLOT_PMECR_EL1 = 73;
  localparam int APMU_SLOT_PMIAR_EL1 = 74;
  localparam int APMU_SLOT_PMSSCR_EL1 = 75;
  localparam int APMU_SLOT_PMCCR = 76;
  localparam int APMU_SLOT_PMPCSR = 77;
  localparam int APMU_SLOT_PMPCSCTL = 78;
  localparam int APMU_SLOT_PMLSR = 79;
  localparam int APMU_SLOTS = 80;
