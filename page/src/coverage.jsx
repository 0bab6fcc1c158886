// SPDX-License-Identifier: BSD-2-Clause
// The views of armpmu coverage: tests and events, what tests add, intents, and what was lost.
import { useMemo, useState } from "preact/hooks";
import { Choice } from "./choice.jsx";
import { columnsOf, groupsOf, heat, rowsOf } from "./coverage.js";
import { change, short, whole } from "./format.js";
import { Heading, More, Search, useRows } from "./rows.jsx";

function Cell({ count, reached, most, label }) {
  if (count < reached) {
    return (
      <td class="number quiet" title={label}>
        {count < 0 ? "–" : count === 0 ? "·" : short(count)}
      </td>
    );
  }
  return (
    <td class="number heat" style={{ "--heat": heat(count, most) }} title={`${label}: ${whole(count)}`}>
      {short(count)}
    </td>
  );
}

export function Tests({ coverage }) {
  const columns = useMemo(() => columnsOf(coverage), [coverage]);
  const groups = useMemo(() => groupsOf(columns), [columns]);
  const [group, setGroup] = useState(0);
  const rows = useMemo(() => rowsOf(coverage, columns), [coverage, columns]);
  const table = useRows(rows, "reaches", { placeholder: "test" });
  const shown = group === 0 ? columns : columns.filter((column) => column.group === groups[group - 1]);
  const most = useMemo(
    () => Object.fromEntries(columns.map(({ key }) => [key, rows.reduce((m, row) => Math.max(m, row[key]), 0)])),
    [columns, rows],
  );
  const unreached = coverage.events.filter((event) => event.tests === 0 && event.sum !== null);
  return (
    <>
      <p>
        {whole(rows.length)} tests reach {whole(columns.length)} of {whole(columns.length + unreached.length)} events.
      </p>
      {unreached.length > 0 && (
        <details>
          <summary>Reached by no test: {whole(unreached.length)}</summary>
          <p>{unreached.map((event) => event.event).join(", ")}</p>
        </details>
      )}
      <Search table={table}>
        {whole(table.found.length)} of {whole(rows.length)} tests
      </Search>
      <div class="bar-of-tools">
        <Choice label="Events" value={group} options={["all", ...groups]} onChange={setGroup} />
      </div>
      <div class="wide" tabIndex={0} role="region" aria-label="Tests and events">
        <table class="functions coverage">
          <thead>
            <tr>
              <Heading table={table} column="name" title="Test" />
              <Heading table={table} column="reaches" title="Events" number />
              <Heading table={table} column="adds" title="Adds" number />
              {shown.map((column) => (
                <Heading key={column.key} table={table} column={column.key} title={column.event} number />
              ))}
            </tr>
          </thead>
          <tbody>
            {table.shown.map((row) => (
              <tr key={row.name}>
                <th scope="row" title={row.file === "" ? undefined : `failed: ${row.file}`}>
                  {row.name}
                  {row.file !== "" && <em class="quiet"> failed</em>}
                </th>
                <td class="number">{whole(row.reaches)}</td>
                <td class="number">{row.adds > 0 ? change(row.adds) : ""}</td>
                {shown.map((column) => (
                  <Cell
                    key={column.key}
                    count={row[column.key]}
                    reached={coverage.reached}
                    most={most[column.key]}
                    label={column.event}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More table={table} />
    </>
  );
}

export function Ranking({ coverage }) {
  const adds = new Map(coverage.tests.map((test) => [test.test, test.adds]));
  let sum = 0;
  return (
    <>
      <p>
        A set of {whole(coverage.set.length)} keeps all events that tests reach
        {coverage.set_at_least < coverage.set.length
          ? `; no set of fewer than ${whole(coverage.set_at_least)} does: `
          : "; no smaller set does: "}
        {coverage.set.join(", ")}
      </p>
      <div class="wide" tabIndex={0} role="region" aria-label="What tests add">
        <table>
          <thead>
            <tr>
              <th scope="col">Test</th>
              <th scope="col" class="number">Adds</th>
              <th scope="col" class="number">Events so far</th>
            </tr>
          </thead>
          <tbody>
            {coverage.order.map((name) => {
              sum += adds.get(name);
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="number">{change(adds.get(name))}</td>
                  <td class="number">{whole(sum)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p>Tests that add nothing: {whole(coverage.tests.length - coverage.order.length)}</p>
    </>
  );
}

export function Intents({ coverage }) {
  const rows = useMemo(
    () => coverage.intents.map((v, id) => ({ ...v, id, name: v.test, file: `${v.intent} ${v.verdict}` })),
    [coverage],
  );
  const table = useRows(rows, "verdict", { placeholder: "test, event or verdict" });
  const met = rows.filter((row) => row.verdict === "met").length;
  const value = (v) => (v === null ? "" : Number(v.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 6 }));
  return (
    <>
      <Search table={table}>
        {whole(met)} of {whole(rows.length)} are met
      </Search>
      <div class="wide" tabIndex={0} role="region" aria-label="Intents">
        <table class="functions">
          <thead>
            <tr>
              <Heading table={table} column="verdict" title="Verdict" />
              <Heading table={table} column="name" title="Test" />
              <Heading table={table} column="intent" title="Intent" />
              <th scope="col" class="number">Value</th>
              <th scope="col" class="number">Compared with</th>
              <th scope="col">Cause</th>
            </tr>
          </thead>
          <tbody>
            {table.shown.map((row) => (
              <tr key={row.id}>
                <td class={row.verdict === "met" ? "" : "heat worse"} style={{ "--heat": 0.5 }}>
                  {row.verdict}
                </td>
                <th scope="row">{row.name}</th>
                <td>{row.intent}</td>
                <td class="number">{value(row.left)}</td>
                <td class="number">{value(row.right)}</td>
                <td>{row.cause}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More table={table} />
    </>
  );
}

export function Losses({ coverage }) {
  const { file, changes } = coverage.baseline;
  const losses = changes.filter((c) => c.loss).length;
  return (
    <>
      <p>
        Compared with <code>{file}</code>: {whole(losses)} losses, {whole(changes.length - losses)} other changes.
      </p>
      {changes.length > 0 && (
        <div class="wide" tabIndex={0} role="region" aria-label="Changes">
          <table>
            <thead>
              <tr>
                <th scope="col">Change</th>
                <th scope="col">Test</th>
                <th scope="col">Event or intent</th>
                <th scope="col" class="number">Before</th>
                <th scope="col" class="number">Now</th>
                <th scope="col">Cause</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((c, i) => (
                <tr key={i}>
                  <td class={c.loss ? "heat worse" : "heat better"} style={{ "--heat": 0.5 }}>
                    {c.kind}
                  </td>
                  <th scope="row">{c.test}</th>
                  <td>{c.event === "" ? c.intent : c.event}</td>
                  <td class="number">{c.before === null ? "" : whole(c.before)}</td>
                  <td class="number">{c.now === null ? "" : whole(c.now)}</td>
                  <td>{c.cause}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
