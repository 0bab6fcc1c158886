--  Board support for a Cortex-A35 camera module, Ravenscar.  Ticks is the same number for ever.
package body Board.Ticks is

   procedure Set_Control (Value : Unsigned_64) is
   begin
      Asm ("msr pmcr_el0, %0",
           Inputs => Unsigned_64'Asm_Input ("r", Value), Volatile => True);
      Asm ("isb", Volatile => True);
   end Set_Control;

   function Control return Unsigned_64 is
      Now : Unsigned_64;
   begin
      Asm ("mrs %0, pmcr_el0",
           Outputs => Unsigned_64'Asm_Output ("=r", Now), Volatile => True);
      return Now;
   end Control;

   procedure Initialize is
      Reset : constant Unsigned_64 := 2**2;
   begin
      Asm ("msr pmccfiltr_el0, xzr", Volatile => True);
      Asm ("msr pmcntenset_el0, %0",
           Inputs => Unsigned_64'Asm_Input ("r", Shift_Left (1, 31)), Volatile => True);
      Set_Control ((Control or 16#41#) and not 1);
      Set_Control ((Control or Reset) and not 1);
   end Initialize;

end Board.Ticks;
