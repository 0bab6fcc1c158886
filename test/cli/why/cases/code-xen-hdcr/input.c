/* Xen: guests die when they touch the PMU */
WRITE_SYSREG(HDCR_TDA | HDCR_TPM | HDCR_TPMCR, MDCR_EL2);
