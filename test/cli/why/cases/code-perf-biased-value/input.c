/* Neoverse V1, kernel.perf_user_access = 1, config1 = 2: the first value is 18446744071562067969, what is that? */
uint64_t read_direct(volatile struct perf_event_mmap_page *pc)
{
    uint64_t v = 0;
    unsigned seq;
    do {
        seq = pc->lock;
        barrier();
        if (pc->cap_user_rdpmc && pc->index == 3)
            asm volatile("isb; mrs %0, pmevcntr2_el0" : "=r"(v));
        barrier();
    } while (pc->lock != seq);
    return v;
}
