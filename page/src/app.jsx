// SPDX-License-Identifier: BSD-2-Clause
// The frame of the page: title, choice of event and theme, and the views.
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Changes } from "./changes.jsx";
import { Choice } from "./choice.jsx";
import { Intents, Losses, Ranking, Tests } from "./coverage.jsx";
import { Flame } from "./flame.jsx";
import { base } from "./format.js";
import { Functions } from "./functions.jsx";
import { Help } from "./help.jsx";
import { Listing } from "./listing.jsx";
import { Run } from "./run.jsx";
import { Summary } from "./summary.jsx";
import { Timeline } from "./timeline.jsx";

/** Returns the views that @data has something for, in their order. */
export function viewsOf(data) {
  if (data.kind === "run") {
    return ["run"];
  }
  if (data.kind === "coverage") {
    const { intents, baseline } = data.coverage;
    return ["tests", "ranking", ...(intents.length > 0 ? ["intents"] : []), ...(baseline !== null ? ["losses"] : [])];
  }
  const views = ["summary"];
  if (data.recordings.length > 1) {
    views.push("changes");
  }
  views.push("flame", "functions", "listing");
  if (data.recordings.some((r) => r.intervals.start.length > 0)) {
    views.push("timeline");
  }
  return views;
}

const TITLES = {
  summary: "Summary",
  changes: "Changes",
  flame: "Flame graph",
  functions: "Functions",
  listing: "Code",
  timeline: "Timeline",
  run: "Counters over time",
  tests: "Tests and events",
  ranking: "What tests add",
  intents: "Intents",
  losses: "Compared",
};

/** Returns the theme that the reader chose before, or "" to follow the system. */
function storedTheme() {
  try {
    return localStorage.getItem("armpmu-theme") ?? "";
  } catch {
    return ""; // a page from a file may have no storage
  }
}

/** Returns whether the page is dark, and a function that chooses it; without a choice it is as the system is. */
function useDark() {
  const system = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [theme, setTheme] = useState(storedTheme);
  const [systemDark, setSystemDark] = useState(system.matches);
  useEffect(() => {
    const follow = (e) => setSystemDark(e.matches);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  const dark = theme === "" ? systemDark : theme === "dark";
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  }, [dark]);
  const choose = (wanted) => {
    setTheme(wanted ? "dark" : "light");
    try {
      localStorage.setItem("armpmu-theme", wanted ? "dark" : "light");
    } catch {
      // The choice lasts as long as the page.
    }
  };
  return [dark, choose];
}

export function App({ data }) {
  const views = useMemo(() => viewsOf(data), [data]);
  const [view, setView] = useState(() => {
    const named = location.hash.slice(1);
    return views.includes(named) ? named : views[0];
  });
  const [which, setWhich] = useState(0);
  const [event, setEvent] = useState(0);
  const [chosen, setChosen] = useState(null); // the function that the code view shows
  const [help, setHelp] = useState(false);
  const [dark, setDark] = useDark();
  const recording = data.recordings[which];

  useEffect(() => {
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [view]);
  const show = (name) => {
    setView(name);
    history.replaceState(null, "", `#${name}`);
  };
  const openFunction = (f) => {
    setChosen(f);
    show("listing");
  };

  useEffect(() => {
    const keys = (e) => {
      if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
        return;
      }
      const number = Number(e.key);
      if (number >= 1 && number <= views.length) {
        show(views[number - 1]);
        e.preventDefault();
      } else if (e.key === "/") {
        document.querySelector("input[type=search]")?.focus();
        e.preventDefault();
      } else if (e.key === "?") {
        setHelp(true);
      } else if (e.key === "e" && recording !== undefined) {
        setEvent((event + 1) % recording.events.length);
      }
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  });

  const title = data.kind === "run" ? data.run.title : data.kind === "coverage" ? "armpmu coverage" : recording.command;
  const properties = { recording, event, openFunction, which };
  return (
    <>
      <a class="skip" href="#view">
        Skip to the content
      </a>
      <header>
        <div class="title">
          <h1>{data.kind === "run" ? base(title) : data.kind === "coverage" ? "Coverage" : recording.title}</h1>
          <p class="command">
            <code>{title}</code>
          </p>
        </div>
        <div class="tools">
          {data.recordings.length > 1 && view !== "changes" && (
            <Choice
              label="Recording"
              value={which}
              options={data.recordings.map((r, i) => `${i === 0 ? "A" : "B"}: ${base(r.file)}`)}
              onChange={(n) => {
                setWhich(n);
                setChosen(null);
                setEvent(Math.min(event, data.recordings[n].events.length - 1));
              }}
            />
          )}
          {recording !== undefined && (
            <Choice label="Event" value={event} options={recording.events.map((e) => e.name)} onChange={setEvent} />
          )}
          <button type="button" onClick={() => setDark(!dark)} aria-pressed={dark}>
            Dark
          </button>
          <button type="button" onClick={() => setHelp(true)} aria-label="Keys and help">
            ?
          </button>
        </div>
        {views.length > 1 && (
          <nav aria-label="Views">
            {views.map((name, i) => (
              <button
                type="button"
                key={name}
                aria-current={view === name ? "page" : undefined}
                onClick={() => show(name)}
                title={`Key ${i + 1}`}
              >
                {TITLES[name]}
              </button>
            ))}
          </nav>
        )}
      </header>
      <main id="view" tabIndex={-1}>
        {view === "summary" && <Summary {...properties} setEvent={setEvent} />}
        {view === "changes" && <Changes data={data} event={event} />}
        {view === "flame" && <Flame key={which} {...properties} />}
        {view === "functions" && <Functions key={which} {...properties} />}
        {view === "listing" && <Listing key={which} {...properties} chosen={chosen} setChosen={setChosen} />}
        {view === "timeline" && <Timeline {...properties} dark={dark} />}
        {view === "run" && <Run run={data.run} dark={dark} />}
        {view === "tests" && <Tests coverage={data.coverage} />}
        {view === "ranking" && <Ranking coverage={data.coverage} />}
        {view === "intents" && <Intents coverage={data.coverage} />}
        {view === "losses" && <Losses coverage={data.coverage} />}
      </main>
      {help && <Help views={views.map((name) => TITLES[name])} close={() => setHelp(false)} />}
    </>
  );
}
