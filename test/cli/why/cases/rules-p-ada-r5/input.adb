--  bus_probe.adb - Ravenscar run time on a Cortex-R5 (single core), System mode.
--  Counter 0: data cache misses, counter 1: instructions executed; cycles by the cycle counter.
--  The tasks that are measured run for some microseconds, 32 bits are enough for all three.

with Interfaces;          use Interfaces;
with System.Machine_Code; use System.Machine_Code;
with Serial_IO;
with Watchdog;

package body Bus_Probe is

   E_Bit : constant Unsigned_32 := 16#1#;
   P_Bit : constant Unsigned_32 := 16#2#;
   C_Bit : constant Unsigned_32 := 16#4#;
   D_Bit : constant Unsigned_32 := 16#8#;

   Cycle_Enable : constant Unsigned_32 := 16#8000_0000#;
   Used         : constant Unsigned_32 := Cycle_Enable or 2#11#;

   type Readings is record
      Cycles, Misses, Instructions : Unsigned_32;
   end record;

   procedure Barrier is
   begin
      Asm ("isb", Volatile => True, Clobber => "memory");
   end Barrier;

   function Control return Unsigned_32 is
      R : Unsigned_32;
   begin
      Asm ("mrc p15, 0, %0, c9, c12, 0",
           Outputs => Unsigned_32'Asm_Output ("=r", R), Volatile => True);
      return R;
   end Control;

   procedure Choose (Counter : Unsigned_32; Event : Unsigned_32) is
   begin
      Asm ("mcr p15, 0, %0, c9, c12, 5",
           Inputs => Unsigned_32'Asm_Input ("r", Counter), Volatile => True);
      Barrier;
      Asm ("mcr p15, 0, %0, c9, c13, 1",
           Inputs => Unsigned_32'Asm_Input ("r", Event), Volatile => True);
   end Choose;

   function Value (Counter : Unsigned_32) return Unsigned_32 is
      R : Unsigned_32;
   begin
      Asm ("mcr p15, 0, %0, c9, c12, 5",
           Inputs => Unsigned_32'Asm_Input ("r", Counter), Volatile => True);
      Barrier;
      Asm ("mrc p15, 0, %0, c9, c13, 2",
           Outputs => Unsigned_32'Asm_Output ("=r", R), Volatile => True);
      return R;
   end Value;

   procedure Start is
      C : Unsigned_32;
   begin
      Asm ("mcr p15, 0, %0, c9, c12, 2",
           Inputs => Unsigned_32'Asm_Input ("r", Used), Volatile => True);
      Choose (0, 16#03#);
      Choose (1, 16#08#);
      C := Control;
      C := (C and not D_Bit) or E_Bit or P_Bit or C_Bit;
      Asm ("mcr p15, 0, %0, c9, c12, 0",
           Inputs => Unsigned_32'Asm_Input ("r", C), Volatile => True);
      Asm ("mcr p15, 0, %0, c9, c12, 3",
           Inputs => Unsigned_32'Asm_Input ("r", Used), Volatile => True);
      Asm ("mcr p15, 0, %0, c9, c12, 1",
           Inputs => Unsigned_32'Asm_Input ("r", Used), Volatile => True);
      Barrier;
   end Start;

   procedure Stop (R : out Readings) is
   begin
      Barrier;
      Asm ("mcr p15, 0, %0, c9, c12, 2",
           Inputs => Unsigned_32'Asm_Input ("r", Used), Volatile => True);
      Barrier;
      Asm ("mrc p15, 0, %0, c9, c13, 0",
           Outputs => Unsigned_32'Asm_Output ("=r", R.Cycles), Volatile => True);
      R.Misses := Value (0);
      R.Instructions := Value (1);
   end Stop;

   procedure Probe (Name : String; Action : not null access procedure) is
      R : Readings;
   begin
      Watchdog.Kick;
      Start;
      Action.all;
      Stop (R);
      Serial_IO.Put (Name);
      Serial_IO.Put (R.Cycles);
      Serial_IO.Put (R.Misses);
      Serial_IO.Put_Line (R.Instructions);
   end Probe;

end Bus_Probe;
