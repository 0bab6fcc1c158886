// EL1 kernel on a Neoverse-N1 SBC. Any obvious mistake?
class CycleScope {
public:
    explicit CycleScope(uint64_t &out) : out_(out), start_(read()) {}
    ~CycleScope() { out_ += read() - start_; }

    static void enable() {
        asm volatile("msr pmccfiltr_el0, xzr");
        asm volatile("msr pmcntenset_el0, %0" :: "r"(1ull << 31));
        uint64_t cr;
        asm volatile("mrs %0, pmcr_el0" : "=r"(cr));
        asm volatile("msr pmcr_el0, %0\n\tisb" :: "r"(cr | (1u << 6) | 1u));
    }
private:
    static uint64_t read() {
        uint64_t v;
        asm volatile("isb\n\tmrs %0, pmccntr_el0\n\tisb" : "=r"(v) :: "memory");
        return v;
    }
    uint64_t &out_;
    uint64_t start_;
};
