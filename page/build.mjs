// SPDX-License-Identifier: BSD-2-Clause
// build.mjs FILE: makes the page without data: one HTML file with the modules of src/, the libraries that they use, the
// style and the licences of the libraries.  armpmu report --html puts a title and data at @TITLE@ and @DATA@.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const text = (...path) => readFileSync(join(here, ...path), "utf8");

/** Returns the licences of the libraries that are part of the page. */
function licences() {
  return Object.keys(JSON.parse(text("package.json")).dependencies)
    .map((name) => {
      const { version, license } = JSON.parse(text("node_modules", name, "package.json"));
      return `${name} ${version} (${license})\n\n${text("node_modules", name, "LICENSE")}`;
    })
    .join("\n\n");
}

const options = { bundle: true, minify: true, write: false, target: ["chrome100", "firefox113", "safari16.4"] };
const script = await build({
  ...options,
  entryPoints: [join(here, "src/main.jsx")],
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
});
const style = await build({
  ...options,
  stdin: { contents: text("src/style.css") + text("node_modules/uplot/dist/uPlot.min.css"), loader: "css" },
});
const parts = {
  "@STYLE@": style.outputFiles[0].text.trim(),
  // "</script" in a string of the code would end it.
  "@SCRIPT@": script.outputFiles[0].text.trim().replaceAll("</script", "<\\/script"),
  "@LICENCES@": licences().replaceAll("<", "‹"),
};
writeFileSync(
  process.argv[2],
  text("template.html")
    .replace("<script>@SCRIPT@", '<script type="module">@SCRIPT@')
    .replace(/@(?:STYLE|SCRIPT|LICENCES)@/g, (part) => parts[part]),
);
