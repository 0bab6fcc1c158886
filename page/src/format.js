// SPDX-License-Identifier: BSD-2-Clause
// Turns numbers into the texts that people read.

/** Returns a whole number with commas: 2071177307 gives "2,071,177,307". */
export function whole(n) {
  return Math.round(n).toLocaleString("en-US");
}

const PREFIXES = ["", " k", " M", " G", " T", " P"];

/** Returns a number in three or four digits with a prefix: 2071177307 gives "2.07 G". */
export function short(n) {
  const sign = n < 0 ? "-" : "";
  let value = Math.abs(n);
  let prefix = 0;
  while (value >= 999.5 && prefix < PREFIXES.length - 1) {
    value /= 1000;
    prefix++;
  }
  const digits = prefix === 0 && Number.isInteger(value) ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return sign + value.toFixed(digits) + PREFIXES[prefix];
}

/** Returns @part of @total in per cent; "" if there is no total.  Less than the last digit is "<0.01 %". */
export function percent(part, total) {
  if (!(total > 0)) {
    return "";
  }
  const value = (100 * part) / total;
  if (part !== 0 && Math.abs(value) < 0.005) {
    return value < 0 ? ">-0.01 %" : "<0.01 %";
  }
  return `${value.toFixed(2)} %`;
}

/** Returns a change with its sign: "+1,024", "-3", "0". */
export function change(n) {
  return n > 0 ? `+${whole(n)}` : n < 0 ? `-${whole(-n)}` : "0";
}

/** Returns the change from @before to @after in per cent with its sign; "new" and "gone" where one of them is 0. */
export function changePercent(before, after) {
  if (before === after) {
    return "0.00 %";
  }
  if (before === 0) {
    return "new";
  }
  if (after === 0) {
    return "gone";
  }
  const value = (100 * (after - before)) / before;
  if (value >= 1000) {
    return `× ${short(after / before)}`;
  }
  return `${value > 0 ? "+" : ""}${value.toFixed(2)} %`;
}

/** Returns a time in nanoseconds as people read it: "1.25 s", "340 ms". */
export function duration(ns) {
  const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3]];
  for (const [unit, size] of units) {
    if (ns >= size) {
      const value = ns / size;
      return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${unit}`;
    }
  }
  return `${Math.round(ns)} ns`;
}

/** Returns the last part of a path. */
export function base(path) {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

/** Returns an address as 0x and at least four hexadecimal digits. */
export function hex(n) {
  return `0x${n.toString(16).padStart(4, "0")}`;
}
