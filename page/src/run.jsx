// SPDX-License-Identifier: BSD-2-Clause
// The counters of a machine over time: values, when each stood still and why, Exception levels and PMUIRQ.
import { duration, percent, whole } from "./format.js";
import { Plot } from "./plot.jsx";

/** Returns the spans of @track as objects with start, end and value; the last one ends at @end. */
export function spans(track, end) {
  return track.times.map((start, i) => ({ start, end: track.times[i + 1] ?? end, value: track.values[i] }));
}

/** A row of coloured spans over the time of the run. */
function Track({ label, track, run, text, kind }) {
  const length = Math.max(1, run.end_ns);
  return (
    <div class="track">
      <span class="name">{label}</span>
      <span class="spans" role="img" aria-label={`${label} over time`}>
        {spans(track, run.end_ns)
          .filter((s) => s.end > s.start && kind(s.value) !== null)
          .map((s) => (
            <span
              key={s.start}
              class={kind(s.value)}
              style={{ left: `${(100 * s.start) / length}%`, width: `${(100 * (s.end - s.start)) / length}%` }}
              title={`${text(s.value)}\n${duration(s.start)} to ${duration(s.end)}`}
            />
          ))}
      </span>
    </div>
  );
}

/** Returns the value of a 64-bit counter; a negative one is its distance from the overflow. */
export function counterValue(value) {
  return value < 0 ? `2⁶⁴ − ${whole(-value)}` : whole(value);
}

function Counter({ counter, run, dark }) {
  const describe = (set) => (set.length === 0 ? "counts" : set.map((c) => run.causes[c]).join("\n"));
  return (
    <section class="counter">
      <h3>
        {counter.name} <small>{counter.event}</small>
        <span class="number">{counterValue(counter.value.values.at(-1) ?? 0)}</span>
      </h3>
      <Plot
        label={`${counter.name} over time`}
        times={[...counter.value.times, run.end_ns]}
        series={[[...counter.value.values, counter.value.values.at(-1) ?? 0]]}
        names={[counter.name]}
        dark={dark}
        height={140}
        cursor="run"
      />
      <Track
        label="counts"
        track={counter.why}
        run={run}
        text={describe}
        kind={(set) => (set.length === 0 ? "counts" : "still")}
      />
      {counter.still.length > 0 && (
        <details>
          <summary>Why it stood still</summary>
          <ul>
            {counter.still.map(({ cause, ns }) => (
              <li key={cause}>
                {duration(ns)} ({percent(ns, run.end_ns)}): {run.causes[cause]}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

export function Run({ run, dark }) {
  if (run.cpus.length === 0 || run.end_ns === 0) {
    return <p>No CPU executed anything.</p>;
  }
  return run.cpus.map((cpu) => (
    <section key={cpu.name}>
      <h2>{cpu.name}</h2>
      {cpu.tracks.map((track) => (
        <Track
          key={track.name}
          label={track.name}
          track={track}
          run={run}
          text={(v) => (track.texts === undefined ? String(v) : track.texts[v])}
          kind={(v) => (track.texts === undefined ? (v !== 0 ? "on" : null) : `level level-${v}`)}
        />
      ))}
      {cpu.counters.map((counter) => (
        <Counter key={counter.name} counter={counter} run={run} dark={dark} />
      ))}
      {cpu.idle.length > 0 && <p class="quiet">Never used: {cpu.idle.join(", ")}</p>}
    </section>
  ));
}
