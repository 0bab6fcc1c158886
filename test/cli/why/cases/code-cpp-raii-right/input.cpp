// Cortex-A55, bare metal, EL1. The counter was started by the boot code.
struct Stopwatch {
    unsigned long start_;
    Stopwatch() { start_ = cycles(); }
    ~Stopwatch() { report(cycles() - start_); }
    static unsigned long cycles()
    {
        unsigned long c;
        __asm__ __volatile__("isb\n mrs %0, pmccntr_el0" : "=r"(c));
        return c;
    }
};
