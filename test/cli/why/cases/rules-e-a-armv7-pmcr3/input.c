/* BeagleBone Black, AM335x at 1 GHz: 1 s = 15,6 million */
static inline void init_perfcounters(int32_t do_reset, int32_t enable_divider)
{
  int32_t value = 1;
  if (do_reset) { value |= 2; value |= 4; }
  if (enable_divider) value |= 8;
  value |= 16;
  asm volatile ("MCR p15, 0, %0, c9, c12, 0\t\n" :: "r"(value));
  asm volatile ("MCR p15, 0, %0, c9, c12, 1\t\n" :: "r"(0x8000000f));
  asm volatile ("MCR p15, 0, %0, c9, c12, 3\t\n" :: "r"(0x8000000f));
}
int main(void) { init_perfcounters(1, 1); }
