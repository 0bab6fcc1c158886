// SPDX-License-Identifier: BSD-2-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../src/data.js";
import { layout, search, step } from "../src/flame.js";
import { profile } from "./sample.mjs";

const r = load(profile(11)).recordings[0];

test("each rectangle has its share of the width and lies within its parent's", () => {
  const total = r.total(0);
  const rectangles = layout(r, 0, 0, 0);
  const at = new Map(rectangles.map((x) => [x.node, x]));
  for (const x of rectangles) {
    assert.ok(Math.abs(x.width - total[x.node] / total[0]) < 1e-9, `node ${x.node}`);
    const up = at.get(r.tree.parent[x.node]);
    if (up !== undefined) {
      assert.ok(x.x >= up.x - 1e-9 && x.x + x.width <= up.x + up.width + 1e-9);
      assert.equal(x.depth, up.depth + 1);
    }
  }
});

test("a focus has the full width, with what is above it", () => {
  const node = r.children[1][0];
  const rectangles = layout(r, 0, node, 0);
  assert.deepEqual(
    rectangles.filter((x) => x.width === 1 && x.depth <= 2).map((x) => x.node).slice(0, 3),
    [0, 1, node],
  );
});

test("narrow nodes are left out", () => {
  assert.ok(layout(r, 0, 0, 0.01).length < layout(r, 0, 0, 0).length);
  assert.ok(layout(r, 0, 0, 0.01).every((x) => x.width >= 0.01 - 1e-9));
});

test("a search counts nested matches once", () => {
  const all = search(r, 0, "step");
  const each = search(r, 0, "");
  assert.equal(each.found.size, 0);
  assert.ok(all.found.size > 0);
  assert.ok(all.cost <= r.totals[0]);
});

test("arrows lead up, down and along a row", () => {
  const rectangles = layout(r, 0, 0, 0);
  const first = step(r, rectangles, 0, "down");
  assert.equal(first, 1);
  assert.equal(step(r, rectangles, first, "up"), 0);
  const child = step(r, rectangles, first, "down");
  const right = step(r, rectangles, child, "right");
  assert.equal(right === child ? child : step(r, rectangles, right, "left"), child);
  assert.equal(step(r, rectangles, 0, "up"), 0);
});
