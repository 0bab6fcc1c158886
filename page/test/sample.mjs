// SPDX-License-Identifier: BSD-2-Clause
// Makes data for the page as cli/profile/to_page.c writes it, from a number: equal numbers give equal data.
import { gzipSync } from "node:zlib";

/** Returns a function that gives numbers from 0 to 1, always the same ones for a seed. */
export function random(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** Returns a recording with @functions functions and a call tree of @nodes nodes. */
export function recording(seed, functions = 60, nodes = 400) {
  const next = random(seed);
  const events = [
    { name: "INST_RETIRED", mark: "", period: 0 },
    { name: "L1D_CACHE_REFILL", mark: "modelled:cortex-a72", period: 0 },
  ];
  const zeros = (n) => Array.from({ length: n }, () => 0);
  const names = Array.from({ length: functions }, (_, i) => (i % 7 === 3 ? `std::vector<row_${i}>::push_back(row_${i} const&)` : `step_${i}`));
  const tree = {
    parent: [-1, 0],
    function: [-1, -1],
    image: [-1, 0],
    calls: [0, 0],
    self: events.map(() => [0, 0]),
  };
  for (let i = 2; i < nodes; i++) {
    tree.parent.push(1 + Math.floor(next() ** 1.5 * (i - 1)));
    tree.function.push(Math.floor(next() * functions));
    tree.image.push(0);
    tree.calls.push(1 + Math.floor(next() * 1000));
    const cost = Math.floor(next() ** 6 * 1e8);
    tree.self[0].push(cost);
    tree.self[1].push(Math.floor(cost * next() * 0.02));
  }
  const self = events.map(() => zeros(functions));
  const total = events.map(() => zeros(functions));
  events.forEach((_, e) => {
    const inclusive = [...tree.self[e]];
    for (let i = nodes - 1; i > 0; i--) {
      inclusive[tree.parent[i]] += inclusive[i];
    }
    for (let i = 2; i < nodes; i++) {
      self[e][tree.function[i]] += tree.self[e][i];
      let up = tree.parent[i];
      while (up > 0 && tree.function[up] !== tree.function[i]) {
        up = tree.parent[up];
      }
      total[e][tree.function[i]] += up > 0 ? 0 : inclusive[i];
    }
  });
  const totals = self.map((column) => column.reduce((a, b) => a + b, 0));
  const order = self[0].map((cost, f) => ({ cost, f })).sort((a, b) => b.cost - a.cost);
  const code = order.slice(0, 5).map(({ f }) => {
    const count = 12;
    const share = (e) => Array.from({ length: count }, (_, i) => Math.floor(self[e][f] / count) + (i === 0 ? self[e][f] % count : 0));
    return {
      function: f,
      offset: Array.from({ length: count }, (_, i) => 0x1000 * f + 4 * i),
      text: Array.from({ length: count }, (_, i) => (i % 3 === 0 ? "ldr x0, [x1, #8]" : i % 3 === 1 ? "add x0, x0, #1" : "b.ne 0x1040")),
      source: Array.from({ length: count }, () => 0),
      line: Array.from({ length: count }, (_, i) => 10 + Math.floor(i / 3)),
      self: events.map((_, e) => share(e)),
    };
  });
  return {
    title: "sample",
    file: `sample-${seed}.data`,
    tool: "armpmu",
    engine: "qemu-user",
    emulator: "",
    command: "sample --rows 100 input.txt",
    core: "cortex-a72",
    remarks: "",
    complete: true,
    sampled: false,
    call_graph: true,
    ending: "exit status 0",
    elapsed_ns: 2.5e9,
    begun: 0,
    events,
    totals,
    files: ["/usr/bin/sample", "/lib/ld-linux-aarch64.so.1", "/lib/libc.so.6"],
    images: [{ pid: 4100, name: "sample", command: "sample --rows 100 input.txt" }],
    threads: { name: ["sample", "worker"], tid: [4100, 4101], image: [0, 0], self: totals.map((t) => [t - Math.floor(t / 3), Math.floor(t / 3)]) },
    functions: { name: names, same: names.map((name) => `${name}\n`), file: names.map((_, i) => i % 3), source: names.map(() => 0), line: names.map((_, i) => i + 1), self, total },
    tree,
    sources: [{ path: "src/sample.c", number: Array.from({ length: 40 }, (_, i) => i + 1), text: Array.from({ length: 40 }, (_, i) => `    row[${i}] = next(row, ${i});`) }],
    code,
    intervals: {
      start: Array.from({ length: 20 }, (_, i) => i * 1.25e8),
      end: Array.from({ length: 20 }, (_, i) => (i + 1) * 1.25e8),
      counts: totals.map((t) => Array.from({ length: 20 }, (_, i) => Math.floor((t / 20) * (1 + Math.sin(i))))),
    },
    topdown: [
      { name: "frontend_bound", depth: 0, value: 18.2 },
      { name: "backend_bound", depth: 0, value: 41.7 },
      { name: "bad_speculation", depth: 0, value: 8.1 },
      { name: "retiring", depth: 0, value: 32.0 },
    ],
    next: "-M dtlb,l1d,l2",
    left_out: [],
  };
}

/** Returns the data of a page with the recordings of @seeds. */
export function profile(...seeds) {
  return { format: 1, kind: "profile", recordings: seeds.map((seed) => recording(seed)) };
}

/** Returns the data of a page about a machine's counters. */
export function run() {
  return {
    format: 1,
    kind: "run",
    run: {
      title: "firmware.elf",
      end_ns: 1000,
      causes: ["PMCR_EL0.E is 0", "PMCNTENSET_EL0[0] is 0"],
      cpus: [
        {
          name: "CPU 0",
          tracks: [
            { name: "EL", times: [0, 400], values: [3, 1], texts: ["EL0", "EL1", "EL2", "EL3"] },
            { name: "PMUIRQ", times: [0, 700, 720], values: [0, 1, 0] },
          ],
          idle: ["PMEVCNTR1_EL0"],
          counters: [
            {
              name: "PMEVCNTR0_EL0",
              event: "INST_RETIRED",
              value: { times: [0, 500, 900], values: [0, 0, 400] },
              why: { times: [0, 300, 500], values: [[0, 1], [1], []] },
              still: [
                { cause: 1, ns: 500 },
                { cause: 0, ns: 300 },
              ],
            },
          ],
        },
      ],
    },
  };
}

/** Returns the data of a page about tests: one that reaches three events, one that reaches one, and one that failed. */
export function coverage() {
  const event = (name, group, tests, sum) => ({ event: name, group, trust: "exact", mark: "", tests, sum });
  return {
    format: 1,
    kind: "coverage",
    coverage: {
      format: "armpmu-coverage",
      version: 1,
      reached: 1,
      events: [
        event("SW_INCR", "other events", 0, 0),
        event("INST_RETIRED", "instructions", 2, 107),
        event("LD_RETIRED", "instructions", 1, 20),
        event("BR_RETIRED", "branches", 1, 40),
      ],
      tests: [
        { test: "a", cause: "", adds: 3, counts: [0, 100, 20, 40] },
        { test: "b", cause: "", adds: 0, counts: [0, 7] },
        { test: "c", cause: "it failed", adds: 0, counts: [] },
      ],
      order: ["a"],
      set: ["a"],
      set_at_least: 1,
      intents: [],
      baseline: null,
    },
  };
}

/** Returns @data as it stands in a page. */
export function encoded(data) {
  return gzipSync(JSON.stringify(data)).toString("base64");
}
