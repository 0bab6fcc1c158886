// SPDX-License-Identifier: BSD-2-Clause
// Sorts and filters the rows of tables.

/** Returns @rows sorted by the member @key, texts by alphabet and numbers by size; equal rows keep their order. */
export function sortRows(rows, key, descending) {
  const sign = descending ? -1 : 1;
  return rows
    .map((row, at) => ({ row, at }))
    .sort((a, b) => {
      const x = a.row[key];
      const y = b.row[key];
      const order = typeof x === "string" ? x.localeCompare(y, "en") : x - y;
      return order !== 0 ? sign * order : a.at - b.at;
    })
    .map(({ row }) => row);
}

/** Returns the rows in which one of the texts under @keys contains each word of @words, in any case. */
export function filterRows(rows, keys, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter((w) => w !== "");
  return rows.filter((row) => wanted.every((w) => keys.some((key) => row[key].toLowerCase().includes(w))));
}
