// SPDX-License-Identifier: BSD-2-Clause
// The flame graph: a rectangle for each node of the call tree, as wide as its cost, callers above.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { layout, search, step } from "./flame.js";
import { base, percent, whole } from "./format.js";

const ROW = 22; // the height of a row in pixels
const KINDS = 8; // colours of files in style.css

/** Returns the width of the element in @ref in pixels, and follows it. */
function useWidth(ref) {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Returns a colour's number for each file, the files with the highest costs first. */
function coloursOf(recording, event) {
  const costs = new Map();
  recording.functions.file.forEach((file, f) => {
    costs.set(file, (costs.get(file) ?? 0) + recording.functions.self[event][f]);
  });
  const order = [...costs.entries()].sort((a, b) => b[1] - a[1]).map(([file]) => file);
  return new Map(order.map((file, i) => [file, Math.min(i, KINDS - 1)]));
}

const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

export function Flame({ recording, event, openFunction }) {
  const box = useRef(null);
  const width = useWidth(box);
  const [focus, setFocus] = useState(0);
  const [cursor, setCursor] = useState(0);
  const [words, setWords] = useState("");
  const moved = useRef(false);
  const rectangles = useMemo(
    () => (width > 0 ? layout(recording, event, focus, 2 / width) : []),
    [recording, event, focus, width],
  );
  const found = useMemo(() => search(recording, event, words), [recording, event, words]);
  const colours = useMemo(() => coloursOf(recording, event), [recording]);
  const total = recording.total(event);
  const depth = rectangles.reduce((most, r) => Math.max(most, r.depth), 0);

  useEffect(() => {
    if (moved.current) {
      box.current.querySelector("[tabindex='0']")?.focus();
      moved.current = false;
    }
  });

  const zoom = (node) => {
    if (node === focus && recording.tree.function[node] >= 0) {
      openFunction(recording.tree.function[node]);
      return;
    }
    setFocus(node);
    setCursor(node);
    moved.current = true;
  };
  const onKeyDown = (e) => {
    if (ARROWS[e.key] !== undefined) {
      setCursor(step(recording, rectangles, cursor, ARROWS[e.key]));
    } else if (e.key === "Enter" || e.key === " ") {
      zoom(cursor);
    } else if (e.key === "Escape") {
      setFocus(0);
      setCursor(0);
    } else {
      return;
    }
    moved.current = true;
    e.preventDefault();
  };
  const shown = rectangles.some((r) => r.node === cursor) ? cursor : focus;
  const describe = (node) =>
    `${recording.nodeName(node)}: ${whole(total[node])}, ${percent(total[node], recording.totals[event])}`;
  return (
    <>
      <div class="bar-of-tools">
        <label class="choice">
          <span>Search</span>
          <input type="search" value={words} placeholder="function" onInput={(e) => setWords(e.currentTarget.value)} />
        </label>
        <button type="button" disabled={focus === 0} onClick={() => zoom(0)}>
          Zoom out
        </button>
        <p role="status">
          {words.trim() === ""
            ? ""
            : `${whole(found.found.size)} found, with ${percent(found.cost, recording.totals[event])} of ${recording.events[event].name}`}
        </p>
      </div>
      <div
        class="flame"
        ref={box}
        role="tree"
        aria-label={`Flame graph of ${recording.events[event].name}`}
        style={{ height: `${(depth + 1) * ROW}px` }}
        onKeyDown={onKeyDown}
      >
        {rectangles.map((r) => {
          const file = recording.tree.function[r.node] >= 0 ? recording.functions.file[recording.tree.function[r.node]] : -1;
          const kind = file === undefined || file < 0 ? "plain" : `kind-${colours.get(file) ?? KINDS - 1}`;
          const faded = words.trim() !== "" && !found.found.has(r.node);
          return (
            <div
              key={r.node}
              role="treeitem"
              aria-level={r.depth + 1}
              aria-label={describe(r.node)}
              aria-selected={r.node === focus}
              tabIndex={r.node === shown ? 0 : -1}
              class={`frame ${kind}${faded ? " faded" : ""}${found.found.has(r.node) ? " found" : ""}`}
              style={{ left: `${r.x * 100}%`, width: `${r.width * 100}%`, top: `${r.depth * ROW}px` }}
              title={`${describe(r.node)}\n${base(recording.nodeFile(r.node))}`}
              onClick={() => zoom(r.node)}
              onFocus={() => setCursor(r.node)}
            >
              {r.width * width > 30 ? recording.nodeName(r.node) : ""}
            </div>
          );
        })}
      </div>
      <p class="detail" aria-live="polite">
        {describe(shown)}
        {recording.tree.calls[shown] > 0 && `, ${whole(recording.tree.calls[shown])} calls`}
      </p>
      {!recording.hasCalls && (
        <p>
          This recording has no call graph: each program's functions stand side by side. <code>armpmu record
          --call-graph</code> makes one.
        </p>
      )}
    </>
  );
}
