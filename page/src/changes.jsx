// SPDX-License-Identifier: BSD-2-Clause
// Two recordings compared: the totals of each event, and the functions by what changed.
import { useMemo } from "preact/hooks";
import { compare } from "./data.js";
import { base, change, changePercent, whole } from "./format.js";
import { Heading, More, Search, useRows } from "./rows.jsx";

function Totals({ a, b }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Totals">
      <table>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col" class="number">A</th>
            <th scope="col" class="number">B</th>
            <th scope="col" class="number">Change</th>
            <th scope="col" class="number">%</th>
          </tr>
        </thead>
        <tbody>
          {a.events.map((e, i) => {
            const k = b.events.findIndex((other) => other.name === e.name && other.mark === e.mark);
            return (
              <tr key={e.name}>
                <th scope="row">{e.name}</th>
                <td class="number">{whole(a.totals[i])}</td>
                <td class="number">{k < 0 ? "not recorded" : whole(b.totals[k])}</td>
                <td class="number">{k < 0 ? "" : change(b.totals[k] - a.totals[i])}</td>
                <td class="number">{k < 0 ? "" : changePercent(a.totals[i], b.totals[k])}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function Changes({ data, event }) {
  const [a, b] = data.recordings;
  const name = (a.events[event] ?? a.events[0]).name;
  const eventA = a.events.findIndex((e) => e.name === name);
  const eventB = b.events.findIndex((e) => e.name === name);
  const rows = useMemo(
    () =>
      eventB < 0
        ? []
        : compare(a, b, eventA, eventB)
            .filter((row) => row.before !== row.after)
            .map((row) => ({
              ...row,
              file: base(row.file),
              change: row.after - row.before,
              size: Math.abs(row.after - row.before),
            })),
    [a, b, eventA, eventB],
  );
  const table = useRows(rows, "size");
  const most = rows.reduce((m, row) => Math.max(m, row.size), 0);
  return (
    <>
      <p>
        A is <code>{a.file}</code>, B is <code>{b.file}</code>.
      </p>
      <Totals a={a} b={b} />
      <h2>Functions whose {name} changed</h2>
      <Search table={table}>
        {eventB < 0 ? `B did not record ${name}` : `${whole(table.found.length)} functions`}
      </Search>
      {rows.length === 0 && eventB >= 0 && <p>No function changed.</p>}
      {rows.length > 0 && (
        <div class="wide" tabIndex={0} role="region" aria-label="Changes">
          <table class="functions">
            <thead>
              <tr>
                <Heading table={table} column="size" title="Change" number />
                <th scope="col" class="number">%</th>
                <Heading table={table} column="before" title="A" number />
                <Heading table={table} column="after" title="B" number />
                <Heading table={table} column="name" title="Function" />
                <Heading table={table} column="file" title="File" />
              </tr>
            </thead>
            <tbody>
              {table.shown.map((row) => (
                <tr key={`${row.name}\n${row.file}`}>
                  <td
                    class={`number heat ${row.change > 0 ? "worse" : "better"}`}
                    style={{ "--heat": most > 0 ? row.size / most : 0 }}
                  >
                    {change(row.change)}
                  </td>
                  <td class="number">{changePercent(row.before, row.after)}</td>
                  <td class="number">{whole(row.before)}</td>
                  <td class="number">{whole(row.after)}</td>
                  <th scope="row">{row.name}</th>
                  <td>{row.file}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More table={table} />
    </>
  );
}
