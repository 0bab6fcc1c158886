// SPDX-License-Identifier: BSD-2-Clause
// browser.mjs CHROMIUM PAGE...: clicks through pages that armpmu made, and prints "ok" and "not ok" lines.
// The first page has one recording unless it is coverage.html, with the tests of test/cli/test_coverage.sh; further ones
// are only opened and examined.
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [chromium, ...pages] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LIMIT = 1.5 * 1024 * 1024; // bytes of a page
const PATIENCE = { timeout: 20000, polling: 50 }; // a busy machine may take seconds for what takes 50 ms

let failed = false;
function check(holds, name, why = "") {
  failed ||= !holds;
  console.log(holds ? `ok ${name}` : `not ok ${name}: ${why}`.replaceAll("\n", " "));
}

const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox"] });

/** Opens @file in a tab with a width and a theme; what the browser complains of, and each request, is noted. */
async function open(file, width, theme) {
  const tab = await browser.newPage();
  const faults = [];
  tab.on("console", (message) => faults.push(message.text()));
  tab.on("pageerror", (error) => faults.push(error.message));
  tab.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) {
      faults.push(`it requests ${request.url()}`);
    }
  });
  await tab.setViewport({ width, height: 900 });
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  await tab.goto(pathToFileURL(resolve(file)).href);
  await tab.waitForSelector("main#view, main.fault");
  return { tab, faults };
}

/** Waits until @holds, a function for the page, returns true for @value, and gives up after a while. */
async function until(tab, holds, value) {
  await tab.waitForFunction(holds, PATIENCE, value).catch(() => {});
}

/** Returns what axe-core calls serious or critical. */
async function serious(tab) {
  await tab.evaluate(axe);
  const { violations } = await tab.evaluate(() => globalThis.axe.run());
  return violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 160)}`);
}

/** Returns the texts of the elements that match. */
const texts = (tab, selector) => tab.$$eval(selector, (all) => all.map((e) => e.textContent));

/** Goes through the views of a page: each has content, fits the width, and is accessible. */
async function examine(file, width, theme) {
  const name = `${basename(file)}, ${width} px, ${theme}`;
  const { tab, faults } = await open(file, width, theme);
  const views = await texts(tab, "nav button");
  for (const view of views.length > 0 ? views : ["the only view"]) {
    await tab.evaluate((text) => {
      [...document.querySelectorAll("nav button")].find((b) => b.textContent === text)?.click();
    }, view);
    await until(tab, (text) => document.querySelector("nav [aria-current]")?.textContent === text || text === "the only view", view);
    const content = await tab.$eval("main", (main) => main.innerText.trim().length);
    check(content > 20, `${name}: ${view} has content`, "it is empty");
    const over = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(over <= 0, `${name}: ${view} fits the width`, `it is ${over} pixels too wide`);
    const found = await serious(tab);
    check(found.length === 0, `${name}: ${view} is accessible`, found.join("; "));
  }
  check(faults.length === 0, `${name}: no error and no request`, faults.join("; "));
  await tab.close();
}

/** Sorts, searches, zooms and opens code in the page of one recording, by mouse and by keyboard. */
async function use(file) {
  const { tab, faults } = await open(file, 1280, "light");
  const paint = await tab.evaluate(
    () =>
      new Promise((done) => {
        const look = () => {
          const entry = performance.getEntriesByName("first-contentful-paint")[0];
          entry === undefined ? setTimeout(look, 20) : done(entry.startTime);
        };
        look();
      }),
  );
  console.log(`note page: first paint after ${Math.round(paint)} ms`); // time depends on the machine: no check

  const views = (await texts(tab, "nav button")).join();
  check(views === "Summary,Flame graph,Functions,Code,Timeline", "page: the views of a recording", views);

  await tab.keyboard.press("3");
  await tab.waitForSelector("table.functions");
  const costs = async () => (await texts(tab, "table.functions tbody td.raw")).map((t) => Number(t.replaceAll(",", "")));
  const rows = await texts(tab, "table.functions tbody tr");
  check(rows.length >= 60, "functions: the table has 60 rows or more", `${rows.length}`);
  const perRow = (await costs()).length / rows.length;
  const self = async () => (await costs()).filter((_, i) => i % perRow === 0);
  const sorted = async (sign) => (await self()).every((c, i, all) => i === 0 || sign * (all[i - 1] - c) >= 0);
  check(await sorted(1), "functions: the most expensive come first");
  await tab.click("th button.link");
  await until(tab, () => document.querySelector("th[aria-sort='ascending']") !== null);
  check(await sorted(-1), "functions: a click on the heading turns the order");
  const wanted = (await texts(tab, "table.functions tbody th button.link"))[0];
  await tab.keyboard.press("/");
  await tab.type("input[type=search]", wanted);
  await until(tab, (text) => document.querySelector("input[type=search]").value === text, wanted);
  const found = await texts(tab, "table.functions tbody th button.link");
  check(found.length >= 1 && found.every((t) => t.includes(wanted)), "functions: the search finds by name", found.join());

  await tab.evaluate(() => document.activeElement.blur());
  await tab.keyboard.press("2");
  await tab.waitForSelector(".frame");
  const frames = async () => (await tab.$$(".frame")).length;
  const all = await frames();
  await tab.focus(".frame[tabindex='0']");
  const focused = () => tab.evaluate(() => document.activeElement.getAttribute("aria-label"));
  for (const key of ["ArrowDown", "ArrowDown"]) {
    const before = await focused();
    await tab.keyboard.press(key);
    await until(tab, (label) => document.activeElement.getAttribute("aria-label") !== label, before);
  }
  const label = await focused();
  await tab.keyboard.press("Enter");
  await until(tab, (l) => document.querySelector(".frame[aria-selected='true']")?.getAttribute("aria-label") === l, label);
  const zoomed = await tab.$eval(".frame[aria-selected='true']", (e) => [e.getAttribute("aria-label"), e.style.width]);
  check(zoomed[0] === label && zoomed[1] === "100%", "flame graph: Enter zooms into the frame", zoomed.join());
  await tab.keyboard.press("Escape");
  await until(tab, (count) => document.querySelectorAll(".frame").length === count, all);
  check((await frames()) === all, "flame graph: Esc zooms out", `${await frames()} frames of ${all}`);

  await tab.click("header .tools button[aria-pressed]");
  await until(tab, () => document.documentElement.dataset.theme === "dark");
  const ground = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const darkness = ground.match(/\d+/g).map(Number);
  check(darkness.every((c) => c < 64), "theme: the button makes it dark", ground);

  await tab.keyboard.press("4");
  await tab.waitForSelector("main table.source, main p");
  check((await texts(tab, "table.source tbody tr")).length > 0, "code: the hottest function has instructions");
  check(faults.length === 0, "page: no error and no request in use", faults.join("; "));
  await tab.close();
}

/** Sorts, searches and chooses events in the page of tests, by mouse and by keyboard. */
async function useCoverage(file) {
  const { tab, faults } = await open(file, 1280, "light");
  const rows = () => texts(tab, "table.coverage tbody th");
  const columns = async () => (await texts(tab, "table.coverage thead th")).length;
  const all = await rows();
  const wide = await columns();
  check(all.length === 40, "tests: the table has all tests", `${all.length}`);
  await tab.focus("table.coverage thead th button");
  await tab.keyboard.press("Enter");
  await until(tab, () => document.querySelector("table.coverage th[aria-sort='ascending']") !== null);
  const sorted = await rows();
  check(sorted.join() === [...all].sort().join(), "tests: Enter on a heading sorts", sorted.slice(0, 3).join());
  await tab.select("main select", "1");
  await until(tab, (before) => document.querySelectorAll("table.coverage thead th").length < before, wide);
  check((await columns()) < wide, "tests: a group has fewer events", `${await columns()} of ${wide}`);
  await tab.evaluate(() => document.activeElement.blur());
  await tab.keyboard.press("/");
  await tab.type("input[type=search]", all[0]);
  await until(tab, () => document.querySelectorAll("table.coverage tbody tr").length < 40);
  const found = await rows();
  check(found.length > 0 && found.every((t) => t.includes(all[0])), "tests: the search finds by name", found.join());
  await tab.evaluate(() => document.activeElement.blur());
  await tab.keyboard.press("3");
  await until(tab, () => document.querySelector("nav [aria-current]")?.textContent === "Intents");
  const verdicts = await texts(tab, "main tbody td:first-child");
  check(verdicts.includes("met") && verdicts.includes("missed"), "intents: met and missed ones", verdicts.join());
  await tab.keyboard.press("4");
  await until(tab, () => document.querySelector("nav [aria-current]")?.textContent === "Compared");
  const changes = await texts(tab, "main tbody td:first-child");
  check(changes.includes("test lost"), "compared: the lost test", changes.join());
  check(faults.length === 0, "coverage: no error and no request in use", faults.join("; "));
  await tab.close();
}

for (const page of pages) {
  const { size } = statSync(page);
  console.log(`note page: ${basename(page)} has ${Math.round(size / 1024)} KiB`);
  check(size <= LIMIT, `${basename(page)}: at most 1.5 MB`, `${size} bytes`);
  await examine(page, 1280, "light");
  await examine(page, 360, "dark");
}
for (const page of pages) {
  if (basename(page) === "coverage.html") {
    await useCoverage(page);
  }
}
if (basename(pages[0]) !== "coverage.html") {
  await use(pages[0]);
}
await browser.close();
process.exitCode = failed ? 1 : 0;
