/* governor. Works, the numbers look sane. Should we add anything? */
static int start(int cpu)
{
	struct perf_event_attr a = { .type = PERF_TYPE_RAW, .size = sizeof(a), .config = 0x17, .disabled = 1 };
	struct perf_event *e = perf_event_create_kernel_counter(&a, cpu, NULL, ovf, NULL);
	if (IS_ERR(e))
		return PTR_ERR(e);
	per_cpu(evt, cpu) = e;
	perf_event_enable(e);
	return 0;
}
