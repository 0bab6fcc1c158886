/* counts instructions of a child: prints 52,301,993, objdump + loop count say 52.3 M. good enough? */
int main(int argc, char **argv)
{
	struct perf_event_attr pe = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(pe),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1, .enable_on_exec = 1, .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	pid_t pid = fork();
	if (!pid) { pause_for_parent(); execvp(argv[1], argv + 1); }
	int fd = syscall(SYS_perf_event_open, &pe, pid, -1, -1, 0);
	go(pid);
	waitpid(pid, NULL, 0);
	read(fd, &count, sizeof(count));
	printf("%llu\n", count);
}
