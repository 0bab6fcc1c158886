// SPDX-License-Identifier: BSD-2-Clause
// The counts of each interval over time, and each thread's share.
import { useMemo } from "preact/hooks";
import { duration, percent, short, whole } from "./format.js";
import { Plot } from "./plot.jsx";

/** Returns the rate of each interval in occurrences a second. */
export function rates(intervals, event) {
  return intervals.start.map((start, i) => {
    const length = intervals.end[i] - start;
    return length > 0 ? (intervals.counts[event][i] * 1e9) / length : 0;
  });
}

/** Returns the interval with the highest rate, in words. */
function peak(intervals, rate) {
  const at = rate.indexOf(Math.max(...rate));
  return `The highest rate is ${short(rate[at])}/s, from ${duration(intervals.start[at])} to ${duration(intervals.end[at])}.`;
}

export function Timeline({ recording, event, dark }) {
  const { intervals, threads } = recording;
  const name = recording.events[event].name;
  const plotted = useMemo(() => {
    const rate = rates(intervals, event);
    return { times: intervals.start.concat(intervals.end.at(-1) ?? []), rate: rate.concat(rate.at(-1) ?? []) };
  }, [recording, event]);
  if (intervals.start.length === 0) {
    return <p>This recording has no intervals.</p>;
  }
  const most = Math.max(...threads.self[event]);
  return (
    <>
      <h2>{name} a second</h2>
      <p>{peak(intervals, plotted.rate)}</p>
      <Plot label={`${name} a second over time`} times={plotted.times} series={[plotted.rate]} names={[name]} dark={dark} stepped />
      {threads.name.length > 1 && (
        <section>
          <h2>Threads</h2>
          <ul class="bars">
            {threads.name.map((thread, i) => (
              <li key={`${threads.tid[i]}-${threads.image[i]}`}>
                <span class="name">
                  {thread} <small>{threads.tid[i]}</small>
                </span>
                <span class="bar" aria-hidden="true">
                  <span style={{ width: `${most > 0 ? (100 * threads.self[event][i]) / most : 0}%` }} />
                </span>
                <span class="number" title={whole(threads.self[event][i])}>
                  {percent(threads.self[event][i], recording.totals[event])}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
