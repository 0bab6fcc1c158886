--  Is this right?  Cortex-A72 at EL1, our own run time; the divider is a parameter of the test.
procedure Begin_Count (Slow : Boolean) is
   Word : Unsigned_64;
begin
   Asm ("mrs %0, pmcr_el0", Outputs => Unsigned_64'Asm_Output ("=r", Word), Volatile => True);
   Word := Word or 16#41#;
   if Slow then
      Word := (Word or 8) and not 16#40#;
   else
      Word := Word and not 8;
   end if;
   Asm ("msr pmccfiltr_el0, xzr", Volatile => True);
   Asm ("msr pmcntenset_el0, %0", Inputs => Unsigned_64'Asm_Input ("r", 16#8000_0000#), Volatile => True);
   Asm ("msr pmcr_el0, %0", Inputs => Unsigned_64'Asm_Input ("r", Word), Volatile => True);
   Asm ("isb", Volatile => True);
end Begin_Count;
