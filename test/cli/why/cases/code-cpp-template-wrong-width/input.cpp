// A76 @ 2.4 GHz, hobby kernel at EL1. LC is set at boot. Job timer shows nonsense for jobs over ~1.8 s: 5 s job reports 0.42 s
template <typename T>
struct Stopwatch {
    T begin_{};
    static T now() {
        std::uint64_t v;
        asm volatile("isb\n\tmrs %0, pmccntr_el0" : "=r"(v) :: "memory");
        return static_cast<T>(v);
    }
    void start() { begin_ = now(); }
    double seconds(double hz) const { return static_cast<double>(static_cast<T>(now() - begin_)) / hz; }
};

using JobTimer = Stopwatch<unsigned>;
