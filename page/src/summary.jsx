// SPDX-License-Identifier: BSD-2-Clause
// The summary: what was recorded, the counts, top-down bars, the hottest functions.
import { base, duration, percent, short, whole } from "./format.js";

function Facts({ recording }) {
  const facts = [
    ["Recorded with", recording.tool],
    ["Counted by", [recording.engine, recording.emulator].filter(Boolean).join(", ")],
    ["Modelled core", recording.core],
    ["Processes", recording.images.length > 1 ? whole(recording.images.length) : ""],
    ["Threads", recording.threads.name.length > 1 ? whole(recording.threads.name.length) : ""],
    ["Wall time", recording.elapsed_ns > 0 ? duration(recording.elapsed_ns) : ""],
    ["Begun", recording.begun > 0 ? new Date(recording.begun * 1000).toISOString().replace(/\.\d+Z/, "Z") : ""],
    ["Ended with", recording.complete ? recording.ending : "unfinished: the recorder did not reach the end"],
  ].filter(([, value]) => value !== "" && value !== undefined);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Counts({ recording, event, setEvent }) {
  return (
    <div class="cards">
      {recording.events.map((e, i) => (
        <button type="button" key={e.name} aria-pressed={i === event} onClick={() => setEvent(i)} class="card">
          <span class="name">{e.name}</span>
          <span class="value" title={whole(recording.totals[i])}>
            {short(recording.totals[i])}
          </span>
          <span class="exact">{whole(recording.totals[i])}</span>
          {e.mark !== "" && <span class="mark">{e.mark}</span>}
        </button>
      ))}
    </div>
  );
}

/** Prints the metrics of top-down analysis as bars; a metric below another one is indented. */
function TopDown({ rows, next }) {
  return (
    <section>
      <h2>Where the slots went</h2>
      <ul class="bars">
        {rows.map((row) => (
          <li key={row.name} style={{ "--depth": row.depth }}>
            <span class="name">{row.name}</span>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${Math.min(100, Math.max(0, row.value))}%` }} />
            </span>
            <span class="number">{row.value.toFixed(2)} %</span>
          </li>
        ))}
      </ul>
      {next !== "" && <p>Look next at: {next}</p>}
    </section>
  );
}

function Hottest({ recording, event, openFunction }) {
  const self = recording.functions.self[event];
  const total = recording.totals[event];
  const rows = self
    .map((cost, f) => ({ cost, f }))
    .filter((row) => row.cost > 0)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, 10);
  return (
    <section>
      <h2>The hottest functions by {recording.events[event].name}</h2>
      <ul class="bars">
        {rows.map(({ cost, f }) => (
          <li key={f}>
            <button type="button" class="link name" onClick={() => openFunction(f)} title={recording.functions.name[f]}>
              {recording.functions.name[f]}
              <small> {base(recording.files[recording.functions.file[f]] ?? "")}</small>
            </button>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${total > 0 ? (100 * cost) / total : 0}%` }} />
            </span>
            <span class="number" title={whole(cost)}>
              {percent(cost, total)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Summary({ recording, event, setEvent, openFunction }) {
  return (
    <>
      <Counts recording={recording} event={event} setEvent={setEvent} />
      <div class="columns">
        <Hottest recording={recording} event={event} openFunction={openFunction} />
        <div>
          {recording.topdown.length > 0 && <TopDown rows={recording.topdown} next={recording.next} />}
          <section>
            <h2>The run</h2>
            <Facts recording={recording} />
          </section>
          {(recording.remarks !== "" || recording.left_out.length > 0) && (
            <section>
              <h2>Remarks</h2>
              <ul class="remarks">
                {[...recording.remarks.split("\n").filter((line) => line !== ""), ...recording.left_out].map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </section>
          )}
        </div>
      </div>
    </>
  );
}
