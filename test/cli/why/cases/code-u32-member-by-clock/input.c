/* Own kernel at EL1 on a Cortex-A72 at 1.5 GHz. A frame is right. For the whole video, which takes 12 s by my watch,
   the report says 0.82e9 cycles. */
static inline unsigned long long cycles_now(void)
{
    unsigned long long c;
    asm volatile("isb\n mrs %0, pmccntr_el0" : "=r"(c) :: "memory");
    return c;
}

struct film_span { unsigned int from, taken; };

void span_open(struct film_span *s) { s->from = cycles_now(); }
void span_close(struct film_span *s) { s->taken = cycles_now() - s->from; }
