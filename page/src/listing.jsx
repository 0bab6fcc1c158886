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

/**
 * A table of costs: a row for each of @rows, {id, key, cost, cells, gap}, of which those of the chosen line are marked.
 * The cost @most is the hottest.
 */
function Costs({ label, titles, rows, most, recording, event, line, setLine }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={label}>
      <table class="source">
        <thead class="hidden">
          <tr>
            {["Cost", ...titles].map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, key, cost, cells, gap }) => (
            <tr
              key={id}
              class={`${line === key ? "chosen" : ""}${gap ? " gap" : ""}`}
              onClick={() => setLine(line === key ? null : key)}
            >
              <td
                class="number heat"
                style={{ "--heat": most > 0 ? cost / most : 0 }}
                title={cost > 0 ? percent(cost, recording.totals[event]) : ""}
              >
                {cost > 0 ? whole(cost) : ""}
              </td>
              {cells}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Text({ text }) {
  return (
    <td class="text">
      <code>{text}</code>
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
    const rows = source.number
      .map((number, i) => ({ number, text: source.text[i], gap: i > 0 && source.number[i - 1] < number - 1 }))
      .filter((l) => l.number >= first && l.number <= last)
      .map(({ number, text, gap }, i) => ({
        id: number,
        key: `${s}:${number}`,
        cost: costs.get(`${s}:${number}`) ?? 0,
        gap: gap && i > 0,
        cells: [<td class="number quiet">{number}</td>, <Text text={text} />],
      }));
    return (
      <section key={s}>
        <h3>{source.path}</h3>
        <Costs
          label={`Source ${base(source.path)}`}
          titles={["Line", "Text"]}
          {...{ rows, most, recording, event, line, setLine }}
        />
      </section>
    );
  });
}

function Instructions({ recording, listing, event, line, setLine }) {
  const most = listing.self[event].reduce((a, b) => Math.max(a, b), 0);
  const rows = listing.offset.map((offset, i) => ({
    id: offset,
    key: `${listing.source[i]}:${listing.line[i]}`,
    cost: listing.self[event][i],
    cells: [
      <td class="quiet">
        <code>{hex(offset)}</code>
      </td>,
      <Text text={listing.text[i]} />,
      <td class="quiet">{listing.line[i] > 0 ? listing.line[i] : ""}</td>,
    ],
  }));
  return (
    <section>
      <h3>Instructions</h3>
      <Costs
        label="Instructions"
        titles={["Address", "Instruction", "Line"]}
        {...{ rows, most, recording, event, line, setLine }}
      />
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
