// SPDX-License-Identifier: BSD-2-Clause
// Starts the page: decodes the data in it and shows it, or says why that fails.
import { render } from "preact";
import { App } from "./app.jsx";
import { decode, load } from "./data.js";

const place = document.getElementById("page");

try {
  const data = load(await decode(document.getElementById("data").textContent));
  render(<App data={data} />, place);
} catch (error) {
  render(
    <main class="fault">
      <h1>This page cannot be shown</h1>
      <p>{error.message}</p>
    </main>,
    place,
  );
}
