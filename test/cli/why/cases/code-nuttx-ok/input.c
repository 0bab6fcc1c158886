/* NuttX, arm64 (qemu virt is not used, this is a PinePhone, A53, EL1, CONFIG_SMP is not set). please review before the PR */
void arm64_pmu_init(void)
{
  uint64_t v;

  __asm__ volatile("mrs %0, pmcr_el0" : "=r"(v));
  v |= (1 << 0) | (1 << 2) | (1 << 6);
  v &= ~(uint64_t)(1 << 3);
  __asm__ volatile("msr pmccfiltr_el0, %0" :: "r"((uint64_t)0));
  __asm__ volatile("msr pmcr_el0, %0" :: "r"(v));
  __asm__ volatile("msr pmcntenset_el0, %0" :: "r"((uint64_t)1 << 31));
  __asm__ volatile("isb");
}

uint64_t up_perf_gettime(void)
{
  uint64_t v;
  __asm__ volatile("isb; mrs %0, pmccntr_el0" : "=r"(v) :: "memory");
  return v;
}
