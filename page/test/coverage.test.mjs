// SPDX-License-Identifier: BSD-2-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf, groupsOf, heat, rowsOf } from "../src/coverage.js";
import { coverage } from "./sample.mjs";

test("columns are the events that tests reach, by group", () => {
  const columns = columnsOf(coverage().coverage);
  assert.deepEqual(columns.map((c) => c.event), ["BR_RETIRED", "INST_RETIRED", "LD_RETIRED"]);
  assert.deepEqual(groupsOf(columns), ["branches", "instructions"]);
});

test("a row has the counts of its columns, and -1 for what was not counted", () => {
  const { coverage: c } = coverage();
  const columns = columnsOf(c);
  const rows = rowsOf(c, columns);
  assert.deepEqual(columns.map((column) => rows[0][column.key]), [40, 100, 20]);
  assert.deepEqual(columns.map((column) => rows[2][column.key]), [-1, -1, -1]);
  assert.deepEqual(rows.map((row) => row.reaches), [3, 1, 0]);
});

test("the greatest count is the hottest, and 0 is cold", () => {
  assert.equal(heat(500, 500), 1);
  assert.equal(heat(0, 500), 0);
  assert.equal(heat(-1, 500), 0);
  assert.ok(heat(10, 500) < heat(100, 500));
});
