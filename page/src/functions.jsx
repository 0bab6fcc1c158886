// SPDX-License-Identifier: BSD-2-Clause
// The table of functions, sortable and with a search; below it who calls a function and what it calls.
import { useMemo, useState } from "preact/hooks";
import { neighbours } from "./data.js";
import { base, percent, whole } from "./format.js";
import { Heading, More, Search, useRows } from "./rows.jsx";

function Neighbours({ recording, event, chosen, choose }) {
  const found = useMemo(
    () => neighbours(recording.tree, recording.total(event), chosen),
    [recording, event, chosen],
  );
  const list = (title, rows) => (
    <section>
      <h3>{title}</h3>
      {rows.length === 0 && <p>None.</p>}
      <ul class="neighbours">
        {rows.slice(0, 20).map((row) => (
          <li key={row.key}>
            {row.key < 0 ? (
              <span>{recording.functionName(row.key)}</span>
            ) : (
              <button type="button" class="link" onClick={() => choose(row.key)}>
                {recording.functionName(row.key)}
              </button>
            )}
            <span class="number">{percent(row.cost, recording.totals[event])}</span>
            {row.calls > 0 && <span class="number">{whole(row.calls)} calls</span>}
          </li>
        ))}
      </ul>
    </section>
  );
  return (
    <div class="columns">
      {list(`Callers of ${recording.functionName(chosen)}`, found.callers)}
      {list("It calls", found.callees)}
    </div>
  );
}

export function Functions({ recording, event, openFunction }) {
  const [chosen, setChosen] = useState(null);
  const rows = useMemo(() => {
    const f = recording.functions;
    return f.name
      .map((name, id) => ({
        id,
        name,
        file: base(recording.files[f.file[id]] ?? ""),
        self: f.self[event][id],
        total: f.total === null ? 0 : f.total[event][id],
      }))
      .filter((row) => row.self > 0 || row.total > 0);
  }, [recording, event]);
  const table = useRows(rows, "self");
  const all = recording.totals[event];
  return (
    <>
      <Search table={table}>
        {whole(table.found.length)} of {whole(rows.length)} functions
      </Search>
      <div class="wide" tabIndex={0} role="region" aria-label="Functions">
        <table class="functions">
          <thead>
            <tr>
              <Heading table={table} column="self" title="Self" number />
              <th scope="col" class="number raw">
                Count
              </th>
              {recording.hasCalls && <Heading table={table} column="total" title="With calls" number />}
              {recording.hasCalls && (
                <th scope="col" class="number raw">
                  Count
                </th>
              )}
              <Heading table={table} column="name" title="Function" />
              <Heading table={table} column="file" title="File" />
            </tr>
          </thead>
          <tbody>
            {table.shown.map((row) => (
              <tr key={row.id} class={row.id === chosen ? "chosen" : ""}>
                <td class="number heat" style={{ "--heat": all > 0 ? row.self / all : 0 }}>
                  {percent(row.self, all)}
                </td>
                <td class="number raw">{whole(row.self)}</td>
                {recording.hasCalls && <td class="number">{percent(row.total, all)}</td>}
                {recording.hasCalls && <td class="number raw">{whole(row.total)}</td>}
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    title={recording.hasCalls ? "Callers and callees" : "Open the code"}
                    onClick={() => (recording.hasCalls ? setChosen(row.id) : openFunction(row.id))}
                  >
                    {row.name}
                  </button>
                  {recording.listing(row.id) !== undefined && (
                    <button type="button" class="small" onClick={() => openFunction(row.id)} aria-label={`Code of ${row.name}`}>
                      code
                    </button>
                  )}
                </th>
                <td>{row.file}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More table={table} />
      {chosen !== null && <Neighbours recording={recording} event={event} chosen={chosen} choose={setChosen} />}
    </>
  );
}
