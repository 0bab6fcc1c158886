// Raspberry Pi 1 (ARM1176), kernel module: undefined instruction in init
static int __init i(void) { asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(1)); return 0; }
module_init(i);
