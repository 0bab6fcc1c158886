[02Ch 0044   1]                Subtable Type : 0B [Generic Interrupt Controller]
[02Dh 0045   1]                       Length : 50
[030h 0048   4]         CPU Interface Number : 00000000
[034h 0052   4]                Processor UID : 00000000
[038h 0056   4]        Flags (decoded below) : 00000001
                           Processor Enabled : 1
          Performance Interrupt Trigger Mode : 0
[040h 0064   4]     Parking Protocol Version : 00000000
[044h 0068   4]        Performance Interrupt : 00000000
[048h 0072   8]               Parked Address : 0000000000000000

perf on this server only has software events, what is wrong with the table?
