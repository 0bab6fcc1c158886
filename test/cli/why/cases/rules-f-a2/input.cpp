// google benchmark on an Ampere Altra: Illegal instruction in cycleclock
static inline int64_t Now() {
  int64_t virtual_timer_value;
  asm volatile("mrs %0, pmccntr_el0" : "=r"(virtual_timer_value));
  return virtual_timer_value;
}
int main() { return Now() > 0; }
