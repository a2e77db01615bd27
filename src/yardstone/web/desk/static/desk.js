"use strict";
// The desk: pages follow the tournament, results are sent without leaving the page.
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const say = (text) => { one("#said").textContent = text; };
  const live = one("#live");
  const line = one("#connection");
  if (!live) return;

  // ---- Following the tournament -----------------------------------------------------------
  // Parts marked data-live are replaced one by one, unless somebody is writing in them.
  const busy = (part) => {
    const at = document.activeElement;
    return part.classList.contains("sending") ||
      (part.contains(at) && at.matches("input:not([type=checkbox]), textarea, select"));
  };
  const written = () => all("form", live).some((form) => !form.matches(".result") &&
    all("input, textarea, select", form).some((field) => field.matches("[type=checkbox], [type=radio]")
      ? field.checked !== field.defaultChecked
      : field.matches("select") ? ![...field.options].every((o) => o.selected === o.defaultSelected ||
          ![...field.options].some((each) => each.defaultSelected))
        : field.type !== "hidden" && field.value !== field.defaultValue));
  const show = (page) => {
    const focus = document.activeElement && document.activeElement.id;
    const opened = all("details[open] > summary[id]", live).map((each) => each.id);
    const fresh = one("#live", page);
    const ids = (root) => all("[data-live]", root).map((part) => part.id).join(" ");
    if (ids(live) !== ids(fresh)) {
      if (written()) {
        tell("The tournament has changed. Load the page again when you are done here.");
        return;
      }
      live.replaceChildren(...fresh.childNodes);
      live.dispatchEvent(new Event("newcontent", { bubbles: true }));
    } else {
      for (const part of all("[data-live]", live)) {
        const other = one(`#${CSS.escape(part.id)}`, fresh);
        if (one(".clash", part) && !one(".clash", other)) continue; // stays until it is answered
        if (other.outerHTML !== part.dataset.shown && !busy(part)) {
          const text = other.outerHTML;
          part.replaceWith(other);
          other.dataset.shown = text;
          other.dispatchEvent(new Event("newcontent", { bubbles: true }));
        }
      }
    }
    live.dataset.mark = fresh.dataset.mark;
    for (const input of all("input[name=key]", live)) {
      input.value = one("input[name=key]", fresh)?.value || input.value;
    }
    for (const id of opened) {
      const summary = document.getElementById(id);
      if (summary && !summary.closest(".done")) summary.parentElement.open = true;
    }
    if (focus && document.activeElement !== document.getElementById(focus)) {
      document.getElementById(focus)?.focus({ preventScroll: true });
    }
    clocks();
    filter();
  };
  const load = async () => {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok && answer.status !== 409) return;
    show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  };
  const tell = (text) => {
    line.textContent = text;
    line.hidden = !text;
  };
  let waiting = 0;
  const later = () => { // phones of many players do not all ask at once
    clearTimeout(waiting);
    const pause = live.dataset.calm === undefined ? 0 : 300 + 2500 * Math.random();
    waiting = setTimeout(() => load().catch(() => undefined), pause);
  };
  let source = null;
  const follow = () => {
    if (source || document.hidden) return;
    source = new EventSource(live.dataset.events);
    source.addEventListener("open", () => tell(""));
    source.addEventListener("change", (event) => {
      if (JSON.parse(event.data).mark !== live.dataset.mark) later();
    });
    source.addEventListener("error", () => {
      tell("No connection to the desk at the moment; trying again.");
      if (source.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(follow, 5000);
      }
    });
  };
  // A browser has few connections: pages that nobody sees do not keep one.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return follow();
    if (source) source.close();
    source = null;
  });
  window.addEventListener("pagehide", () => { if (source) source.close(); source = null; });
  window.addEventListener("pageshow", follow);

  // ---- Sending results --------------------------------------------------------------------
  // What did not arrive is sent again until it does; the server takes nothing twice.
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  let sending = 0;
  window.addEventListener("beforeunload", (event) => { if (sending) event.preventDefault(); });
  const send = async (form, button) => {
    const part = form.closest("[data-live]");
    const data = new URLSearchParams(new FormData(form, button));
    const mark = (on) => {
      if (part) part.classList.toggle("sending", on);
      if (button) button.setAttribute("aria-busy", String(on));
    };
    mark(true);
    sending += 1;
    try {
      for (let attempt = 0; ; attempt += 1) {
        let answer;
        try {
          answer = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json" } });
        } catch { /* no connection: told below */ }
        const plain = answer ? await answer.json().catch(() => ({})) : {};
        if (answer && answer.ok) {
          mark(false);
          form.closest(".clash")?.remove();
          const field = one("[data-filter]", form);
          if (field) field.value = "";
          await load();
          say(plain.said || "Entered");
          tell("");
          return;
        }
        const problem = plain.error || {};
        if (plain.page) {
          mark(false);
          show(new DOMParser().parseFromString(plain.page, "text/html"));
          one(".clash")?.focus();
          return;
        }
        if (problem.code === "old_page" && attempt < 3) { // the desk has started again
          await load();
          data.set("key", one("input[name=key]")?.value || "");
          continue;
        }
        if (answer && answer.status < 500 && answer.status !== 429) {
          mark(false);
          tell([problem.message, problem.hint].filter(Boolean).join(" ") || "That did not work.");
          await load();
          return;
        }
        tell("Not saved yet: no connection to the desk. It is sent again until it arrives; keep this page open.");
        await pause(Math.min(1000 + 500 * attempt, 5000));
      }
    } finally {
      sending -= 1;
    }
  };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form.result")) return;
    event.preventDefault();
    send(form, event.submitter).catch(() => tell("That did not work. Load the page again."));
  });
  document.addEventListener("click", (event) => {
    const leave = event.target.closest(".leave");
    if (!leave) return;
    event.preventDefault();
    leave.closest(".clash").remove();
  });

  // ---- Finding a board --------------------------------------------------------------------
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const filter = () => {
    for (const input of all("[data-filter]")) {
      const list = document.getElementById(input.dataset.filter);
      const wanted = fold(input.value.trim());
      const table = /^\d+/.exec(wanted);
      for (const each of list ? list.children : []) {
        const number = one(".table", each);
        const hit = wanted === "" ? input.dataset.empty === undefined : (table ? number && number.textContent === table[0]
          : fold(each.textContent).includes(wanted));
        each.hidden = !hit;
      }
    }
  };
  document.addEventListener("input", (event) => { if (event.target.matches("[data-filter]")) filter(); });

  // ---- Keys -------------------------------------------------------------------------------
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = document.activeElement;
    const board = at && at.closest(".board");
    if (event.key === "/" && !at.matches("input, textarea, select") && one("[data-filter]")) {
      event.preventDefault();
      one("[data-filter]").focus();
      return;
    }
    if (!board || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
    const rows = all(".board:not([hidden])").filter((each) => each.getClientRects().length);
    const next = rows[rows.indexOf(board) + (event.key === "ArrowDown" ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    const place = all("button, summary", board).indexOf(at);
    (all("button, summary", next)[place] || one("button", next)).focus();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-print]")) window.print();
  });
  for (const each of all("[data-print]")) each.hidden = false;
  const clocks = () => {
    for (const time of all("time[data-clock]")) {
      const moment = new Date(time.dateTime);
      time.textContent = moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    }
  };
  const again = async () => { // what is still being made is asked for until it is there
    if (!one("[data-again]")) return;
    await pause(1500);
    await load().catch(() => undefined);
    again();
  };
  again();
  clocks();
  filter();
  follow();
})();
