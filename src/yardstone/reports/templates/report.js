"use strict";
// Tables of a report, sorted by a click on a heading, searched, and opened row by row; and
// pictures that are stepped through.
(() => {
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  const names = new Intl.Collator("en", { numeric: true });
  // What changes is told to those who hear the page, where it has a place for that.
  const say = (text) => {
    const place = document.querySelector("#said");
    if (place) place.textContent = text;
  };

  // What was opened below a row follows it wherever sorting puts it.
  const openedBelow = (row) => {
    const next = row.nextElementSibling;
    return next && next.classList.contains("opened") ? next : null;
  };

  const sort = (table, header) => {
    const number = header.dataset.kind === "number";
    const before = header.getAttribute("aria-sort");
    const start = header.dataset.first;
    const other = start === "ascending" ? "descending" : "ascending";
    const order = before === start ? other : start;
    const sign = order === "ascending" ? 1 : -1;
    for (const th of table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    say(`Sorted by ${header.textContent}, ${order}`);
    const place = header.cellIndex;
    const key = (row) => {
      const text = row.cells[place].dataset.value ?? row.cells[place].textContent.trim();
      return number ? (text === "" ? NaN : Number(text)) : text;
    };
    const body = table.tBodies[0];
    const rows = [...body.rows].filter((row) => row.dataset.row !== undefined);
    const keyed = rows.map((row) => [key(row), row, openedBelow(row)]);
    keyed.sort(([a], [b]) => {
      if (!number) return sign * names.compare(a, b);
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return sign * (a - b);
    });
    body.append(...keyed.flatMap(([, row, opened]) => (opened ? [row, opened] : [row])));
  };

  const makeSortable = (table) => {
    for (const header of table.tHead.rows[0].cells) {
      if (!header.dataset.kind) continue;
      const button = element("button", header.textContent);
      button.type = "button";
      button.addEventListener("click", () => sort(table, header));
      header.replaceChildren(button);
    }
  };

  const makeSearchable = (search) => {
    const input = search.querySelector("input");
    const status = search.querySelector("[role=status]");
    const rows = [...document.querySelectorAll("table.searched tr[data-row]")];
    input.addEventListener("input", () => {
      const wanted = fold(input.value.trim());
      let shown = 0;
      for (const row of rows) {
        const name = row.querySelector(".name");
        row.hidden = !fold(name ? name.textContent : "").includes(wanted);
        const opened = openedBelow(row);
        if (opened) opened.hidden = row.hidden;
        shown += !row.hidden;
      }
      status.textContent = wanted ? `${shown} of ${rows.length} ${search.dataset.noun}` : "";
    });
    search.hidden = false;
  };

  const makeOpenable = (script) => {
    const data = JSON.parse(script.textContent);
    let before = script.previousElementSibling;
    while (before && !before.querySelector("table")) before = before.previousElementSibling;
    const toggle = (row, button) => {
      const open = openedBelow(row);
      if (open) open.remove();
      else {
        const entry = data.of[row.dataset.row];
        const outer = element("tr", undefined, "opened");
        const cell = outer.appendChild(element("td"));
        cell.colSpan = row.cells.length;
        const table = cell.appendChild(element("table"));
        const head = table.appendChild(element("thead")).appendChild(element("tr"));
        for (const title of data.head) head.appendChild(element("th", title)).scope = "col";
        const body = table.appendChild(element("tbody"));
        for (const values of entry.rows) {
          const line = body.appendChild(element("tr"));
          for (const value of values) line.append(element("td", value));
        }
        if (entry.more) cell.append(element("p", entry.more, "quiet"));
        row.after(outer);
      }
      button.setAttribute("aria-expanded", String(!open));
    };
    for (const row of before.querySelectorAll("tr[data-row]")) {
      const name = row.querySelector(".name");
      if (!name || !data.of[row.dataset.row]) continue;
      const button = element("button", name.textContent);
      button.type = "button";
      button.setAttribute("aria-expanded", "false");
      button.addEventListener("click", () => toggle(row, button));
      name.replaceChildren(button);
    }
  };

  // One picture at a time, with buttons and keys; the title and the words of its group stay.
  const makeStepper = (stepper) => {
    const pictures = [...stepper.querySelectorAll("figure")];
    if (pictures.length < 2) return;
    let place = 0;
    const button = (text, act) => {
      const made = element("button", text);
      made.type = "button";
      made.addEventListener("click", act);
      return made;
    };
    const previous = button("Previous", () => show(place - 1, true));
    const next = button("Next", () => show(place + 1, true));
    const count = element("span", "", "quiet");
    const controls = element("div", undefined, "controls");
    controls.append(previous, next, count, element("span", "or use the arrow keys", "keys quiet"));
    const show = (number, aloud) => {
      place = Math.min(Math.max(number, 0), pictures.length - 1);
      const now = pictures[place].closest("article");
      for (const article of stepper.querySelectorAll("article")) article.hidden = article !== now;
      pictures.forEach((picture, each) => { picture.hidden = each !== place; });
      // Disabled buttons would lose the focus: they only say so.
      previous.setAttribute("aria-disabled", String(place === 0));
      next.setAttribute("aria-disabled", String(place === pictures.length - 1));
      count.textContent = `${place + 1} of ${pictures.length}`;
      const caption = pictures[place].querySelector("figcaption");
      if (aloud) say(`${now.querySelector("h3").textContent}. ${caption ? caption.textContent : ""}`);
    };
    stepper.prepend(controls);
    stepper.classList.add("stepping");
    stepper.tabIndex = 0;
    const keys = {
      ArrowLeft: () => place - 1, ArrowRight: () => place + 1,
      Home: () => 0, End: () => pictures.length - 1,
    };
    stepper.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      show(keys[event.key](), true);
    });
    show(0, false);
  };

  // A link into a folded part opens it.
  const openTarget = () => {
    const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = part && part.closest("details");
    if (folded && !folded.open) {
      folded.open = true;
      part.scrollIntoView();
    }
  };
  window.addEventListener("hashchange", openTarget);

  const prepare = (root) => {
    root.querySelectorAll(".stepper").forEach(makeStepper);
    root.querySelectorAll("table.sortable").forEach(makeSortable);
    root.querySelectorAll(".search").forEach(makeSearchable);
    root.querySelectorAll("script.details").forEach(makeOpenable);
  };
  prepare(document);
  openTarget();
  document.addEventListener("newcontent", (event) => prepare(event.target));
})();
