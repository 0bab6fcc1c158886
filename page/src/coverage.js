// SPDX-License-Identifier: BSD-2-Clause
// What follows from the results of armpmu coverage (cli/coverage/document.c).

/** Returns the columns of the table: events that tests reach, those of a group one after the other. */
export function columnsOf({ events }) {
  return events
    .map((event, id) => ({ ...event, id, key: `count${id}` }))
    .filter((event) => event.tests > 0)
    .sort((a, b) => a.group.localeCompare(b.group, "en") || a.id - b.id);
}

/** Returns the groups of @columns, each once. */
export function groupsOf(columns) {
  return [...new Set(columns.map((column) => column.group))];
}

/** Returns a row for each test, with a member for each of @columns: its count, or -1 if it was not counted. */
export function rowsOf({ tests, reached }, columns) {
  return tests.map((test) => {
    const counts = Object.fromEntries(columns.map((column) => [column.key, test.counts[column.id] ?? -1]));
    const reaches = columns.filter((column) => counts[column.key] >= reached).length;
    return { name: test.test, file: test.cause, adds: test.adds, reaches, ...counts };
  });
}

/** Returns how hot a cell is, 0 to 1: by the number of digits of its count as a part of those of the greatest one. */
export function heat(count, most) {
  return count > 0 && most > 0 ? Math.log1p(count) / Math.log1p(most) : 0;
}
