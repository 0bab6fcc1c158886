/* X925, EL1. the long test prints a number that's too small by some billions, the short ones are OK */
	uint64_t t0 = rd_pmccntr();
	long_test();
	uint64_t t1 = rd_pmccntr();
	printf("%u cycles\n", (unsigned)(t1 - t0));
