; clang -O2 -emit-llvm, only one read is left of the two in the source. t1 - t0 is the constant 0
define dso_local i64 @timed(ptr %f) {
entry:
  %0 = tail call i64 asm "mrs $0, pmccntr_el0", "=r"()
  tail call void %f()
  ret i64 0
}
