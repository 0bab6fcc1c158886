// SPDX-License-Identifier: BSD-2-Clause
// The table of functions, sortable and with a search; below it who calls a function and what it calls.
import { useMemo, useState } from "preact/hooks";
import { neighbours } from "./data.js";
import { base, percent, whole } from "./format.js";
import { filterRows, sortRows } from "./table.js";

const STEP = 60; // rows that are shown at first, and that each press of the button adds

/** A column's heading, which sorts by it. */
export function Heading({ column, title, sort, setSort, number }) {
  const mine = sort.column === column;
  const arrow = mine ? (sort.descending ? " ▾" : " ▴") : "";
  return (
    <th scope="col" class={number ? "number" : ""} aria-sort={mine ? (sort.descending ? "descending" : "ascending") : "none"}>
      <button
        type="button"
        class="link"
        onClick={() => setSort({ column, descending: mine ? !sort.descending : number === true })}
      >
        {title}
        <span aria-hidden="true">{arrow}</span>
      </button>
    </th>
  );
}

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
  const [sort, setSort] = useState({ column: "self", descending: true });
  const [words, setWords] = useState("");
  const [room, setRoom] = useState(STEP);
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
  const found = useMemo(() => {
    const key = sort.column;
    return sortRows(filterRows(rows, ["name", "file"], words), key, sort.descending);
  }, [rows, words, sort]);
  const whole_cost = recording.totals[event];
  return (
    <>
      <div class="bar-of-tools">
        <label class="choice">
          <span>Search</span>
          <input
            type="search"
            value={words}
            placeholder="function or file"
            onInput={(e) => {
              setWords(e.currentTarget.value);
              setRoom(STEP);
            }}
          />
        </label>
        <p role="status">
          {whole(found.length)} of {whole(rows.length)} functions
        </p>
      </div>
      <div class="wide" tabIndex={0} role="region" aria-label="Functions">
        <table class="functions">
          <thead>
            <tr>
              <Heading column="self" title="Self" sort={sort} setSort={setSort} number />
              <th scope="col" class="number raw">
                Count
              </th>
              {recording.hasCalls && <Heading column="total" title="With calls" sort={sort} setSort={setSort} number />}
              {recording.hasCalls && (
                <th scope="col" class="number raw">
                  Count
                </th>
              )}
              <Heading column="name" title="Function" sort={sort} setSort={setSort} />
              <Heading column="file" title="File" sort={sort} setSort={setSort} />
            </tr>
          </thead>
          <tbody>
            {found.slice(0, room).map((row) => (
              <tr key={row.id} class={row.id === chosen ? "chosen" : ""}>
                <td class="number heat" style={{ "--heat": whole_cost > 0 ? row.self / whole_cost : 0 }}>
                  {percent(row.self, whole_cost)}
                </td>
                <td class="number raw">{whole(row.self)}</td>
                {recording.hasCalls && <td class="number">{percent(row.total, whole_cost)}</td>}
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
      {found.length > room && (
        <button type="button" onClick={() => setRoom(room + 10 * STEP)}>
          Show more
        </button>
      )}
      {chosen !== null && <Neighbours recording={recording} event={event} chosen={chosen} choose={setChosen} />}
    </>
  );
}
