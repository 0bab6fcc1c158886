// UEFI application (EDK2, Ampere Altra, firmware hands over at EL2). EndTicks - StartTicks is 0.
EFI_STATUS EFIAPI UefiMain (IN EFI_HANDLE ImageHandle, IN EFI_SYSTEM_TABLE *SystemTable)
{
  UINT64 StartTicks, EndTicks;

  ArmWriteSysReg (PMCNTENSET_EL0, 0x80000000ULL);
  ArmWriteSysReg (PMCR_EL0, ArmReadSysReg (PMCR_EL0) | 0x41);
  ArmInstructionSynchronizationBarrier ();
  StartTicks = ArmReadSysReg (PMCCNTR_EL0);
  DoHash ();
  ArmInstructionSynchronizationBarrier ();
  EndTicks = ArmReadSysReg (PMCCNTR_EL0);
  Print (L"%ld\n", EndTicks - StartTicks);
  return EFI_SUCCESS;
}
