// SPDX-License-Identifier: BSD-2-Clause
// A choice of one of several texts, with a label.

/** @onChange gets the index of the text that is chosen. */
export function Choice({ label, value, options, onChange }) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(e) => onChange(Number(e.currentTarget.value))}>
        {options.map((text, i) => (
          <option value={i} key={text}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
