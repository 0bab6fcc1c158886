// SPDX-License-Identifier: BSD-2-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { base, change, changePercent, duration, hex, percent, short, whole } from "../src/format.js";
import { filterRows, sortRows } from "../src/table.js";

test("numbers", () => {
  assert.equal(whole(2071177307), "2,071,177,307");
  assert.equal(short(999), "999");
  assert.equal(short(999.6), "1.00 k");
  assert.equal(short(2071177307), "2.07 G");
  assert.equal(short(-12345), "-12.3 k");
  assert.equal(short(0.5), "0.50");
  assert.equal(percent(1, 3), "33.33 %");
  assert.equal(percent(1, 1e9), "<0.01 %");
  assert.equal(percent(1, 0), "");
  assert.equal(change(1024), "+1,024");
  assert.equal(change(-3), "-3");
  assert.equal(changePercent(100, 101), "+1.00 %");
  assert.equal(changePercent(0, 5), "new");
  assert.equal(changePercent(5, 0), "gone");
  assert.equal(changePercent(1, 20), "× 20");
  assert.equal(duration(1.25e9), "1.25 s");
  assert.equal(duration(340e6), "340 ms");
  assert.equal(duration(12), "12 ns");
  assert.equal(base("/usr/bin/sqlite3"), "sqlite3");
  assert.equal(hex(0x1a), "0x001a");
});

test("rows are sorted stably and found by every word", () => {
  const rows = [
    { name: "b", file: "x", self: 1 },
    { name: "a", file: "y", self: 1 },
    { name: "c", file: "x", self: 2 },
  ];
  assert.deepEqual(sortRows(rows, "self", true).map((r) => r.name), ["c", "b", "a"]);
  assert.deepEqual(sortRows(rows, "name", false).map((r) => r.name), ["a", "b", "c"]);
  assert.deepEqual(filterRows(rows, ["name", "file"], "X c").map((r) => r.name), ["c"]);
});
