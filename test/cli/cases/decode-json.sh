# SPDX-License-Identifier: BSD-2-Clause
# decode -j prints JSON; and for every register encode makes the same value again from the fields that decode -j gave.
armpmu decode -j 0xD51B9CA0=3
cat >check.py <<'END'
import json, random, subprocess
random.seed(1)
names = [l.split()[0] for l in subprocess.check_output(["armpmu", "decode", "--registers"], text=True).splitlines()]
bad = checked = 0
for name in names:
    value = random.getrandbits(64)
    bare = json.loads(subprocess.check_output(["armpmu", "decode", "-j", name]))[0]
    fields = [f for f in bare["fields"] if not f["reserved"]]
    value &= sum(((2 << f["msb"] - f["lsb"]) - 1) << f["lsb"] for f in fields)
    if not fields:
        continue
    text = subprocess.check_output(["armpmu", "decode", "-j", "%s=0x%x" % (name, value)])
    given = ["%s=%s" % (f["field"], f["value"]) for f in json.loads(text)[0]["fields"] if not f["reserved"]]
    back = subprocess.check_output(["armpmu", "encode", name] + given, text=True).strip()
    checked += 1
    if back.split("=")[0] != name or int(back.split("=")[1], 16) != value:
        bad += 1
        print(name, hex(value), back)
print("more than 100 registers" if checked > 100 else checked, "checked,", bad, "bad")
END
python3 check.py
