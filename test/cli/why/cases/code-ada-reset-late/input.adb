--  GNAT, Cortex-A53, ravenscar-full. Elapsed is always about 40, no matter what Work does (10 us or 10 ms).
procedure Measure is
   Value : Unsigned_64;
begin
   Asm ("msr pmcr_el0, %0", Inputs => Unsigned_64'Asm_Input ("r", 16#45#), Volatile => True);
   Asm ("msr pmcntenset_el0, %0", Inputs => Unsigned_64'Asm_Input ("r", 16#8000_0000#), Volatile => True);
   Asm ("isb", Volatile => True);
   Work;
   Asm ("msr pmcr_el0, %0", Inputs => Unsigned_64'Asm_Input ("r", 16#45#), Volatile => True);
   Asm ("isb" & ASCII.LF & "mrs %0, pmccntr_el0", Outputs => Unsigned_64'Asm_Output ("=r", Value), Volatile => True);
   Put_Line (Value'Image);
end Measure;
