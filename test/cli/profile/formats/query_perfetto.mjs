// SPDX-License-Identifier: BSD-2-Clause
// query_perfetto.mjs FOLDER TRACE SQL...: opens a trace with Perfetto's trace processor, of which FOLDER has the build
// for a browser's worker, and prints the rows of each query as JSON, a line a query.  Before them it prints what the
// trace processor found wrong with the trace.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";

const [folder, trace, ...queries] = process.argv.slice(2);

// What the engine expects of a worker.
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = class {};
globalThis.location = { href: `${pathToFileURL(resolve(folder)).href}/` };
globalThis.XMLHttpRequest = class {
  open(_method, name) {
    this.name = name;
  }
  send() {
    const bytes = readFileSync(join(folder, this.name));
    this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  }
};
// The folder has the engine for 32-bit memory only, and it takes the other one if a module with 64-bit memory loads:
// one whose first section, number 5, has a memory with the flag 4.
const { Module } = WebAssembly;
WebAssembly.Module = class extends Module {
  constructor(bytes) {
    if (bytes[8] === 5 && bytes[11] === 4) {
      throw new Error("no 64-bit memory");
    }
    super(bytes);
  }
};
// It warns of members of answers that are newer than its reader of them, and tells its progress.
console.warn = () => {};

const { EngineBase } = await import(pathToFileURL(resolve(folder, "engine.mjs")).href);
runInThisContext(readFileSync(join(folder, "engine_bundle.node.js"), "utf8"));
await new Promise(setImmediate);

const port = { postMessage: (answer) => engine.onRpcResponseBytes(answer) };
class Engine extends EngineBase {
  mode = "WASM";
  id = "trace processor";
  rpcSendRequestBytes(data) {
    port.onmessage({ data });
  }
}
const engine = new Engine();
self.onmessage({ data: port });
await engine.parse(new Uint8Array(readFileSync(trace)));
await engine.notifyEof();

const wrong = "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0";
for (const query of [wrong, ...queries]) {
  const result = await engine.query(query);
  const columns = result.columns();
  const rows = [];
  for (const it = result.iter({}); it.valid(); it.next()) {
    rows.push(columns.map((column) => it.get(column)));
  }
  console.log(JSON.stringify(rows, (_key, value) => (typeof value === "bigint" ? Number(value) : value)));
}
process.exit(0);
