Is this series to blame?  PMCCNTR does not move any more.

diff --git a/src/pmu.c b/src/pmu.c
--- a/src/pmu.c
+++ b/src/pmu.c
@@ -10,8 +10,8 @@ static void pmu_on(void)
 static void pmu_on(void)
 {
     asm volatile("msr pmccfiltr_el0, xzr");
-    asm volatile("msr pmcntenset_el0, %0" :: "r"(1UL << 31));
+    asm volatile("msr pmcntenset_el0, %0" :: "r"(1UL << 30)); /* the cycle counter */
     asm volatile("msr pmcr_el0, %0" :: "r"(1UL | 1UL << 6));
     asm volatile("isb");
 }
