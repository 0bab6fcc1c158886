// SPDX-License-Identifier: BSD-2-Clause
// Decides accesses to the toy PMU's external view, in the layout of FEAT_PMUv3_EXT32.
module toy_ext
  import apmu_pkg::*;
(
    input [9:0] bug,
    input [APMU_PE_COUNT*64-1:0] pe,
    input write,
    input [15:0] offset,
    input [6:0] attributes,
    output reg [2:0] outcome
);
  wire [3:0] size = attributes[3:0];
  wire [1:0] pas = attributes[5:4];  // 0 Secure, 1 Non-secure, 2 Root, 3 Realm
  wire epmad = pe[APMU_PE_MDCR_EL3*64+21] && bug != 151;
  wire epmade = pe[APMU_PE_MDCR_EL3*64+2] && bug != 152;
  wire admitted = pas == 2 || (!epmad && !epmade) || (pas == 0 && !epmade) || (pas == 3 && !epmad) ||
                  ((bug == 156 || (bug == 416 && epmade)) && pas == 3);

  // Kinds of places: nothing, a register of the PMU, one that is read only, one for management.
  localparam [1:0] NOTHING = 0, COUNTERS = 1, CONSTANT = 2, MANAGEMENT = 3;

  function automatic [1:0] place(input [15:0] at);
    if (at < 16'h020 || at == 16'h0F8 || at == 16'h0FC) place = COUNTERS;
    else if ((at >= 16'h400 && at < 16'h410) || (at >= 16'hA00 && at < 16'hA10)) place = COUNTERS;
    else case (at)
      16'h47C, 16'hA7C, 16'hC00, 16'hC20, 16'hC40, 16'hC60, 16'hC80, 16'hCC0, 16'hE04: place = COUNTERS;
      16'hE00, 16'hE20, 16'hE24, 16'hE28, 16'hE2C, 16'hE40: place = CONSTANT;
      16'hFA8, 16'hFAC, 16'hFB4, 16'hFB8, 16'hFBC, 16'hFC8: place = MANAGEMENT;
      default: place = bug == 716 && at == 16'hCA0 ? COUNTERS : NOTHING;
    endcase
  endfunction

  wire aligned = size == 8 ? offset[2:0] == 0 : offset[1:0] == 0 || bug == 163;
  wire [1:0] at = place({offset[15:2], 2'd0});
  wire wide = offset < 16'h020 || (offset == 16'h0F8 && bug != 717);
  wire wrong_size = size == 8 && (at != NOTHING ? !wide && bug != 171 : place(offset + 4) != NOTHING);

  always @* begin
    outcome = 3'(APMU_OK);
    if (pe[APMU_PE_debug_off*64] && bug != 155) outcome = 3'(APMU_ERROR);
    else if (!aligned || wrong_size) outcome = 3'(APMU_ERROR);
    else if (at == NOTHING || (write && at != COUNTERS)) begin
      outcome = bug == 162 ? 3'(APMU_ERROR) : write ? 3'(APMU_WI) : 3'(APMU_RAZ);
    end else if (at != MANAGEMENT || bug == 172 || (bug == 415 && pe[APMU_PE_double_lock*64])) begin
      if ((pe[APMU_PE_core_off*64] && bug != 154) || (bug == 619 && offset == 16'h01C)) outcome = 3'(APMU_ERROR);
      else if (pe[APMU_PE_double_lock*64] && bug != 153) outcome = 3'(APMU_ERROR);
      else if (pe[APMU_PE_os_lock*64] && bug != 150 && !(bug == 202 && pas == 2) &&
               !(bug == 414 && !write)) outcome = 3'(APMU_ERROR);
      else if (!admitted && !(bug == 203 && !write && at == CONSTANT)) outcome = 3'(APMU_ERROR);
    end
  end
endmodule
