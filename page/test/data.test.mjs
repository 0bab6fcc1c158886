// SPDX-License-Identifier: BSD-2-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, decode, inclusive, load, neighbours } from "../src/data.js";
import { encoded, profile, recording } from "./sample.mjs";

test("data survives its encoding", async () => {
  const data = profile(7);
  assert.deepEqual(await decode(encoded(data)), data);
});

test("another format is refused with a sentence", () => {
  assert.throws(() => load({ format: 2 }), /format 1.*format 2/);
});

test("inclusive costs add up to the root", () => {
  const r = recording(3);
  const total = inclusive(r.tree.parent, r.tree.self[0]);
  assert.equal(total[0], r.totals[0]);
  for (let i = 1; i < total.length; i++) {
    assert.ok(total[i] <= total[r.tree.parent[i]]);
  }
});

test("callers' costs of a function add up to its total", () => {
  const r = load(profile(5)).recordings[0];
  for (const event of [0, 1]) {
    for (const f of r.functions.name.keys()) {
      const { callers } = neighbours(r.tree, r.total(event), f);
      assert.equal(callers.reduce((sum, row) => sum + row.cost, 0), r.functions.total[event][f]);
    }
  }
});

test("recursion counts once", () => {
  const tree = { parent: [-1, 0, 1, 2], function: [-1, 0, 0, 1], calls: [0, 1, 5, 1] };
  const total = inclusive(tree.parent, [0, 10, 20, 3]);
  const { callers, callees } = neighbours(tree, total, 0);
  assert.deepEqual(callers, [
    { key: -1, cost: 33, calls: 1 },
    { key: 0, cost: 0, calls: 5 },
  ]);
  assert.deepEqual(callees, [{ key: 1, cost: 3, calls: 1 }]);
});

test("a comparison has each function of either recording once, the largest change first", () => {
  const a = load(profile(5)).recordings[0];
  const b = load(profile(5)).recordings[0];
  b.functions.self[0][4] += 1000;
  b.functions.name[9] = "renamed";
  b.functions.same[9] = "renamed\n";
  b.functions.name[11] += ".isra.0"; // is the same function
  const rows = compare(a, b, 0, 0);
  const gone = rows.find((row) => row.name === a.functions.name[9]);
  const fresh = rows.find((row) => row.name === "renamed");
  assert.equal(gone.after, 0);
  assert.equal(fresh.before, 0);
  assert.equal(fresh.after, gone.before);
  const changed = rows.filter((row) => row.before !== row.after && row !== gone && row !== fresh);
  assert.deepEqual(changed.map((row) => row.after - row.before), [1000]);
  assert.equal(rows.length, a.functions.name.length + 1);
});
