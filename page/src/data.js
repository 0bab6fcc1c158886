// SPDX-License-Identifier: BSD-2-Clause
// Reads the data that armpmu put into the page, and adds what follows from it.
//
// The data is JSON, compressed by gzip, in base64; cli/profile/to_page.c writes it and describes each member, and
// cli/coverage/document.c does so for that of armpmu coverage.  Tables of a recording are columns: tree.parent[i], tree.function[i] and tree.self[event][i] belong to node i.

/** The version of the data that this page reads. */
export const FORMAT = 1;

/** Returns the object that @text, base64 of gzip of JSON, holds. */
export async function decode(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** Returns the sums of @self over each node and all below it.  A parent comes before its children. */
export function inclusive(parent, self) {
  const total = Float64Array.from(self);
  for (let i = parent.length - 1; i > 0; i--) {
    total[parent[i]] += total[i];
  }
  return total;
}

/** Returns the children of each node, as arrays of indices. */
export function childrenOf(parent) {
  const children = parent.map(() => []);
  for (let i = 1; i < parent.length; i++) {
    children[parent[i]].push(i);
  }
  return children;
}

/**
 * Returns what calls function @wanted and what it calls, with the costs of @total (inclusive costs of nodes) that pass
 * there.  A recursive call adds nothing to its own function: its cost is in the outer call.
 */
export function neighbours(tree, total, wanted) {
  const callers = new Map();
  const callees = new Map();
  const add = (map, key, cost, calls) => {
    const row = map.get(key) ?? { key, cost: 0, calls: 0 };
    row.cost += cost;
    row.calls += calls;
    map.set(key, row);
  };
  // inside[i]: node i or a node above it is the wanted function.
  const inside = new Uint8Array(tree.parent.length);
  for (let i = 1; i < tree.parent.length; i++) {
    const up = tree.parent[i];
    if (tree.function[i] === wanted) {
      add(callers, up > 0 ? tree.function[up] : -1, inside[up] ? 0 : total[i], tree.calls[i]);
      inside[i] = 1;
    } else {
      if (tree.function[up] === wanted && up > 0) {
        add(callees, tree.function[i], total[i], tree.calls[i]);
      }
      inside[i] = inside[up];
    }
  }
  const sorted = (map) => [...map.values()].sort((a, b) => b.cost - a.cost);
  return { callers: sorted(callers), callees: sorted(callees) };
}

/** A recording with what the views need of it, computed when it is first asked for. */
export class Recording {
  constructor(raw) {
    Object.assign(this, raw);
    this.totals_of = new Map();
  }

  /** Returns whether there is a call tree of more than images and functions. */
  get hasCalls() {
    return this.call_graph;
  }

  /** Returns the inclusive costs of the tree's nodes for event number @event. */
  total(event) {
    if (!this.totals_of.has(event)) {
      this.totals_of.set(event, inclusive(this.tree.parent, this.tree.self[event]));
    }
    return this.totals_of.get(event);
  }

  get children() {
    this.cached_children ??= childrenOf(this.tree.parent);
    return this.cached_children;
  }

  /** Returns the name of function @f; -1 is what called the first function. */
  functionName(f) {
    return f < 0 ? "(program)" : this.functions.name[f];
  }

  /** Returns the name of tree node @i: its function, or its program. */
  nodeName(i) {
    const f = this.tree.function[i];
    if (f >= 0) {
      return this.functions.name[f];
    }
    return i === 0 ? "all" : this.images[this.tree.image[i]]?.name ?? "?";
  }

  /** Returns the file of tree node @i, or "". */
  nodeFile(i) {
    const f = this.tree.function[i];
    return f >= 0 ? this.files[this.functions.file[f]] ?? "" : "";
  }

  /** Returns the listing of function @f, or undefined if the page has none. */
  listing(f) {
    this.listings ??= new Map(this.code.map((c) => [c.function, c]));
    return this.listings.get(f);
  }
}

/** Returns the page's data as recordings; throws an Error with a sentence for the reader. */
export function load(raw) {
  if (raw.format !== FORMAT) {
    throw new Error(`This page reads data of format ${FORMAT}, and this is format ${raw.format}.`);
  }
  return { kind: raw.kind, recordings: (raw.recordings ?? []).map((r) => new Recording(r)), run: raw.run, coverage: raw.coverage };
}

/**
 * Returns the rows of a comparison: functions of either recording, by the names by which armpmu finds them in another
 * one, with the costs in both, the largest change first.
 */
export function compare(a, b, eventA, eventB) {
  const rows = new Map();
  const take = (r, event, side) => {
    r.functions.name.forEach((name, i) => {
      const file = r.files[r.functions.file[i]] ?? "";
      const key = r.functions.same[i];
      const row = rows.get(key) ?? { name, file, before: 0, after: 0 };
      row[side] += r.functions.self[event][i];
      rows.set(key, row);
    });
  };
  take(a, eventA, "before");
  take(b, eventB, "after");
  return [...rows.values()].sort((x, y) => Math.abs(y.after - y.before) - Math.abs(x.after - x.before));
}
