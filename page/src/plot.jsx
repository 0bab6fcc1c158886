// SPDX-License-Identifier: BSD-2-Clause
// A plot over time, drawn by uPlot in the colours of the theme.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { duration, short } from "./format.js";

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Draws @series, arrays of numbers, over @times in nanoseconds. */
export function Plot({ label, times, series, names, dark, stepped, height = 220, cursor }) {
  const box = useRef(null);
  useEffect(() => {
    const axis = () => ({ stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } });
    const plot = new uPlot(
      {
        width: box.current.clientWidth,
        height,
        legend: { show: names.length > 1 },
        scales: { x: { time: false } },
        cursor: cursor === undefined ? {} : { sync: { key: cursor } },
        axes: [
          { ...axis(), values: (_, ticks) => ticks.map((t) => duration(t)) },
          { ...axis(), values: (_, ticks) => ticks.map(short), size: 64 },
        ],
        series: [
          { label: "time", value: (_, t) => (t == null ? "" : duration(t)) },
          ...names.map((name, i) => ({
            label: name,
            stroke: colour(`--series-${(i % 4) + 1}`),
            width: 2,
            points: { show: false },
            paths: stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
            value: (_, v) => (v == null ? "" : short(v)),
          })),
        ],
      },
      [times, ...series],
      box.current,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: box.current.clientWidth, height }));
    observer.observe(box.current);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, dark]);
  return <div class="plot" ref={box} role="img" aria-label={label} />;
}
