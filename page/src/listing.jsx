// SPDX-License-Identifier: BSD-2-Clause
// A function's source lines and instructions with their costs.
import { useMemo, useState } from "preact/hooks";
import { base, hex, percent, whole } from "./format.js";

/** Returns the functions with a listing, the most expensive first. */
function listed(recording, event) {
  return recording.code
    .map((c) => ({ f: c.function, cost: recording.functions.self[event][c.function] }))
    .sort((a, b) => b.cost - a.cost);
}

/** Returns the costs of each line of the listing's sources, by "source:line". */
function lineCosts(listing, event) {
  const costs = new Map();
  listing.offset.forEach((_, i) => {
    const key = `${listing.source[i]}:${listing.line[i]}`;
    costs.set(key, (costs.get(key) ?? 0) + listing.self[event][i]);
  });
  return costs;
}

function Cost({ cost, most, total }) {
  return (
    <td class="number heat" style={{ "--heat": most > 0 ? cost / most : 0 }} title={cost > 0 ? percent(cost, total) : ""}>
      {cost > 0 ? whole(cost) : ""}
    </td>
  );
}

function Sources({ recording, listing, event, line, setLine }) {
  const costs = useMemo(() => lineCosts(listing, event), [listing, event]);
  const most = Math.max(0, ...costs.values());
  const files = [...new Set(listing.source)].filter((s) => s >= 0 && recording.sources[s]?.number.length > 0);
  if (files.length === 0) {
    return <p>The page has no source of this function: it was not found when the page was made, or has no lines.</p>;
  }
  return files.map((s) => {
    const source = recording.sources[s];
    const used = listing.line.filter((l, i) => listing.source[i] === s && l > 0);
    const first = Math.min(...used) - 3;
    const last = Math.max(...used) + 3;
    // The page has the lines around those with code: a gap of others is left out.
    const lines = source.number
      .map((number, i) => ({ number, text: source.text[i], gap: i > 0 && source.number[i - 1] < number - 1 }))
      .filter((l) => l.number >= first && l.number <= last);
    return (
      <section key={s}>
        <h3>{source.path}</h3>
        <div class="wide" tabIndex={0} role="region" aria-label={`Source ${base(source.path)}`}>
          <table class="source">
            <thead class="hidden">
              <tr>
                <th scope="col">Cost</th>
                <th scope="col">Line</th>
                <th scope="col">Text</th>
              </tr>
            </thead>
            <tbody>
              {lines.map(({ number, text, gap }, i) => {
                const key = `${s}:${number}`;
                const cost = costs.get(key) ?? 0;
                return (
                  <tr
                    key={key}
                    class={`${line === key ? "chosen" : ""}${gap && i > 0 ? " gap" : ""}`}
                    onClick={() => setLine(line === key ? null : key)}
                  >
                    <Cost cost={cost} most={most} total={recording.totals[event]} />
                    <td class="number quiet">{number}</td>
                    <td class="text">
                      <code>{text}</code>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </section>
    );
  });
}

function Instructions({ recording, listing, event, line, setLine }) {
  const most = listing.self[event].reduce((a, b) => Math.max(a, b), 0);
  return (
    <section>
      <h3>Instructions</h3>
      <div class="wide" tabIndex={0} role="region" aria-label="Instructions">
        <table class="source">
          <thead class="hidden">
            <tr>
              <th scope="col">Cost</th>
              <th scope="col">Address</th>
              <th scope="col">Instruction</th>
              <th scope="col">Line</th>
            </tr>
          </thead>
          <tbody>
            {listing.offset.map((offset, i) => {
              const key = `${listing.source[i]}:${listing.line[i]}`;
              return (
                <tr key={offset} class={line === key ? "chosen" : ""} onClick={() => setLine(line === key ? null : key)}>
                  <Cost cost={listing.self[event][i]} most={most} total={recording.totals[event]} />
                  <td class="quiet">
                    <code>{hex(offset)}</code>
                  </td>
                  <td class="text">
                    <code>{listing.text[i]}</code>
                  </td>
                  <td class="quiet">{listing.line[i] > 0 ? listing.line[i] : ""}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function Listing({ recording, event, chosen, setChosen }) {
  const order = useMemo(() => listed(recording, event), [recording, event]);
  const [line, setLine] = useState(null);
  const f = chosen ?? order[0]?.f;
  const listing = f === undefined ? undefined : recording.listing(f);
  if (f === undefined) {
    return <p>The page has no code: no symbols were found when it was made.</p>;
  }
  return (
    <>
      <div class="bar-of-tools">
        <label class="choice grows">
          <span>Function</span>
          <select
            value={f}
            onChange={(e) => {
              setChosen(Number(e.currentTarget.value));
              setLine(null);
            }}
          >
            {listing === undefined && <option value={f}>{recording.functions.name[f]}</option>}
            {order.map((row) => (
              <option value={row.f} key={row.f}>
                {percent(row.cost, recording.totals[event])} {recording.functions.name[row.f]}
              </option>
            ))}
          </select>
        </label>
        <p role="status">
          {whole(recording.functions.self[event][f])} {recording.events[event].name}
        </p>
      </div>
      {listing === undefined ? (
        <p>
          The page has the code of the hottest functions only. <code>armpmu annotate</code> shows every function.
        </p>
      ) : (
        <div class="columns listing">
          <div>
            <Sources {...{ recording, listing, event, line, setLine }} />
          </div>
          <Instructions {...{ recording, listing, event, line, setLine }} />
        </div>
      )}
    </>
  );
}
