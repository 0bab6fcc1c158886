// SPDX-License-Identifier: BSD-2-Clause
// A long table of functions: a search, headings that sort, and a button that shows more rows.
import { useMemo, useState } from "preact/hooks";
import { filterRows, sortRows } from "./table.js";

const STEP = 60; // rows that are shown at first

/**
 * Returns the state of a table of `rows`, which is sorted by `column` at first: the other parts take it as `table`.
 * `placeholder` says what is searched.
 */
export function useRows(rows, column, { descending = true, placeholder = "function or file" } = {}) {
  const [sort, setSort] = useState({ column, descending });
  const [words, setWords] = useState("");
  const [room, setRoom] = useState(STEP);
  const found = useMemo(
    () => sortRows(filterRows(rows, ["name", "file"], words), sort.column, sort.descending),
    [rows, words, sort],
  );
  return {
    placeholder,
    sort,
    setSort,
    words,
    found,
    shown: found.slice(0, room),
    search(text) {
      setWords(text);
      setRoom(STEP);
    },
    showMore: () => setRoom(room + 10 * STEP),
  };
}

/** The search, beside the children: what is said of the rows that it found. */
export function Search({ table, children }) {
  return (
    <div class="bar-of-tools">
      <label class="choice">
        <span>Search</span>
        <input
          type="search"
          value={table.words}
          placeholder={table.placeholder}
          onInput={(e) => table.search(e.currentTarget.value)}
        />
      </label>
      <p role="status">{children}</p>
    </div>
  );
}

/** A column's heading, which sorts by it. */
export function Heading({ table, column, title, number }) {
  const mine = table.sort.column === column;
  const descending = table.sort.descending;
  const arrow = mine ? (descending ? " ▾" : " ▴") : "";
  return (
    <th scope="col" class={number ? "number" : ""} aria-sort={mine ? (descending ? "descending" : "ascending") : "none"}>
      <button
        type="button"
        class="link"
        onClick={() => table.setSort({ column, descending: mine ? !descending : number === true })}
      >
        {title}
        <span aria-hidden="true">{arrow}</span>
      </button>
    </th>
  );
}

/** The button, if there are more rows than are shown. */
export function More({ table }) {
  return (
    table.found.length > table.shown.length && (
      <button type="button" onClick={table.showMore}>
        Show more
      </button>
    )
  );
}
