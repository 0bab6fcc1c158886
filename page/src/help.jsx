// SPDX-License-Identifier: BSD-2-Clause
// The dialog with keys, marks and licences.
import { useEffect, useRef } from "preact/hooks";

export function Help({ views, close }) {
  const dialog = useRef(null);
  useEffect(() => {
    dialog.current.showModal();
  }, []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {views.map((title, i) => (
          <>
            <dt key={title}>
              <kbd>{i + 1}</kbd>
            </dt>
            <dd>{title}</dd>
          </>
        ))}
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search</dd>
        <dt>
          <kbd>e</kbd>
        </dt>
        <dd>The next event</dd>
        <dt>
          <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd>
        </dt>
        <dd>Move in the flame graph</dd>
        <dt>
          <kbd>Enter</kbd>
        </dt>
        <dd>Zoom into a function; at the one that is zoomed, open its code</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>Zoom out</dd>
      </dl>
      <h2>Marks of counts</h2>
      <p>
        A count without a mark is exact: each occurrence was counted. <em>modelled:NAME</em> is a count of a modelled
        core, <em>sampled</em> an estimate from samples.
      </p>
      <h2>Licences</h2>
      <pre>{document.getElementById("licences")?.textContent ?? ""}</pre>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
