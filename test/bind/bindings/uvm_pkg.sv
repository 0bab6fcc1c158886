// SPDX-License-Identifier: BSD-2-Clause
// The few declarations of UVM that a register model uses, so that Verilator can check one without UVM.
package uvm_pkg;
  localparam int UVM_NO_COVERAGE = 0;
  typedef enum { UVM_LITTLE_ENDIAN, UVM_BIG_ENDIAN } uvm_endianness_e;

  class uvm_object;
    string name;
    function new(string name = "");
      this.name = name;
    endfunction
  endclass

  typedef class uvm_reg;

  class uvm_reg_field extends uvm_object;
    function new(string name = "");
      super.new(name);
    endfunction
    function void configure(uvm_reg parent, int unsigned size, int unsigned lsb_pos, string access, bit is_volatile,
                            bit [63:0] reset, bit has_reset, bit is_rand, bit individually_accessible);
    endfunction
  endclass

  class uvm_reg extends uvm_object;
    function new(string name, int unsigned n_bits, int has_coverage);
      super.new(name);
    endfunction
    virtual function void build();
    endfunction
    function void configure(uvm_object blk_parent);
    endfunction
  endclass

  class uvm_reg_map extends uvm_object;
    function void add_reg(uvm_reg rg, bit [63:0] offset, string rights);
    endfunction
  endclass

  class uvm_reg_block extends uvm_object;
    uvm_reg_map default_map;
    function new(string name, int has_coverage);
      super.new(name);
    endfunction
    function uvm_reg_map create_map(string name, bit [63:0] base_addr, int unsigned n_bytes, uvm_endianness_e endian);
      return null;
    endfunction
    virtual function void build();
    endfunction
    function void lock_model();
    endfunction
  endclass
endpackage
