// Odroid N2, A73. A module of ours sets PMUSERENR_EL0 to 1 and enables PMCCNTR on all CPUs; cpuidle.off=1.
// Most results are about 40000, but now and then one is huge or negative.
static inline uint64_t now() { uint64_t v; asm volatile("isb; mrs %0, pmccntr_el0" : "=r"(v) :: "memory"); return v; }
void job()
{
    auto t0 = now();
    work();                 // takes locks and may sleep
    report(now() - t0);
}
void start() { for (int i = 0; i < 8; i++) pool.emplace_back(std::thread(job)); }
