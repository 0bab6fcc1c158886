// SPDX-License-Identifier: BSD-2-Clause
// Lays out a flame graph: which rectangle each node of the call tree has, in units of the width.
import { hierarchy, partition } from "d3-hierarchy";

/**
 * Returns the rectangles of the tree below @focus, with those of the nodes above it in full width: objects of node, x
 * and width (parts of 1) and depth.  Nodes narrower than @least are left out; what lies below is left out with them.
 */
export function layout(recording, event, focus, least) {
  const total = recording.total(event);
  const whole = total[focus];
  if (!(whole > 0)) {
    return [];
  }
  const above = [];
  for (let i = recording.tree.parent[focus]; i >= 0; i = recording.tree.parent[i]) {
    above.unshift(i);
  }
  const rectangles = above.map((node, depth) => ({ node, x: 0, width: 1, depth }));
  const visible = (i) =>
    recording.children[i].filter((c) => total[c] / whole >= least).sort((p, q) => total[q] - total[p] || p - q);
  // partition() adds up values from the leaves, so each node gets what its visible children lack.
  const root = hierarchy({ node: focus }, (d) => visible(d.node).map((node) => ({ node })));
  root.eachAfter((d) => {
    const below = (d.children ?? []).reduce((sum, c) => sum + c.value, 0);
    d.value = Math.max(total[d.data.node], below);
  });
  partition()(root);
  root.each((d) => {
    rectangles.push({ node: d.data.node, x: d.x0, width: d.x1 - d.x0, depth: above.length + d.depth });
  });
  return rectangles;
}

/**
 * Returns the nodes whose names contain @words (in any case), and the cost of all that matches: a node below another one
 * that matches adds nothing.
 */
export function search(recording, event, words) {
  const wanted = words.trim().toLowerCase();
  const found = new Set();
  let cost = 0;
  if (wanted === "") {
    return { found, cost };
  }
  const total = recording.total(event);
  const hit = recording.functions.name.map((name) => name.toLowerCase().includes(wanted));
  const inside = new Uint8Array(recording.tree.parent.length);
  for (let i = 1; i < recording.tree.parent.length; i++) {
    const up = recording.tree.parent[i];
    inside[i] = inside[up];
    const f = recording.tree.function[i];
    if (f >= 0 && hit[f]) {
      found.add(i);
      cost += inside[up] ? 0 : total[i];
      inside[i] = 1;
    }
  }
  return { found, cost };
}

/** Returns the node to which an arrow key leads from @node: "up", "down", "left" or "right" in the picture. */
export function step(recording, rectangles, node, direction) {
  const shown = new Map(rectangles.map((r) => [r.node, r]));
  const here = shown.get(node);
  if (here === undefined) {
    return rectangles[0]?.node ?? node;
  }
  if (direction === "up") {
    const up = recording.tree.parent[node];
    return up >= 0 && shown.has(up) ? up : node;
  }
  if (direction === "down") {
    const below = recording.children[node].map((c) => shown.get(c)).filter((r) => r !== undefined);
    below.sort((a, b) => b.width - a.width);
    return below[0]?.node ?? node;
  }
  const row = rectangles.filter((r) => r.depth === here.depth).sort((a, b) => a.x - b.x);
  const next = row[row.indexOf(here) + (direction === "right" ? 1 : -1)];
  return next?.node ?? node;
}
