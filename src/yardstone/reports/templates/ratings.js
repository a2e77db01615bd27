"use strict";
(() => {
  const data = JSON.parse(document.getElementById("games").textContent);
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const players = [...document.querySelectorAll("tr.player")];

  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  // A row of games follows its player wherever sorting puts it.
  const gamesRow = (row) => {
    const next = row.nextElementSibling;
    return next && next.classList.contains("games") ? next : null;
  };

  const makeGames = (row) => {
    const entry = data.games[row.dataset.player];
    const outer = element("tr", undefined, "games");
    const cell = outer.appendChild(element("td"));
    cell.colSpan = row.cells.length;
    const table = cell.appendChild(element("table"));
    const head = table.appendChild(element("thead")).appendChild(element("tr"));
    const titles = ["Opponent", "Rating", "Games", "W–D–L", "Score %"];
    titles.forEach((title, place) => {
      const th = head.appendChild(element("th", title, place === 0 ? "name" : ""));
      th.scope = "col";
    });
    const body = table.appendChild(element("tbody"));
    for (const [other, wins, draws, losses] of entry.opponents) {
      const line = body.appendChild(element("tr"));
      const games = wins + draws + losses;
      line.append(element("td", data.players[other][0], "name"));
      const values = [data.players[other][1], games, `${wins}–${draws}–${losses}`];
      values.push((100 * (wins + draws / 2) / games).toFixed(1));
      for (const value of values) line.append(element("td", String(value)));
    }
    if (entry.more) {
      cell.append(element("p", `… and ${entry.more} more opponents with fewer games`, "quiet"));
    }
    return outer;
  };

  const toggle = (button) => {
    const row = button.closest("tr");
    const open = gamesRow(row);
    if (open) open.remove(); else row.after(makeGames(row));
    button.setAttribute("aria-expanded", String(!open));
  };

  const sort = (header) => {
    const table = header.closest("table");
    const body = table.tBodies[0];
    const number = header.dataset.kind === "number";
    const before = header.getAttribute("aria-sort");
    const start = header.dataset.first;
    const other = start === "ascending" ? "descending" : "ascending";
    const order = before === start ? other : start;
    const sign = order === "ascending" ? 1 : -1;
    for (const th of table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const place = header.cellIndex;
    const key = (row) => {
      const text = row.cells[place].dataset.value ?? row.cells[place].textContent.trim();
      return number ? (text === "" ? NaN : Number(text)) : text;
    };
    const rows = [...body.rows].filter((row) => row.classList.contains("player"));
    const keyed = rows.map((row) => [key(row), row, gamesRow(row)]);
    keyed.sort(([a], [b]) => {
      if (!number) return sign * a.localeCompare(b);
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return sign * (a - b);
    });
    body.append(...keyed.flatMap(([, row, games]) => (games ? [row, games] : [row])));
  };

  const filter = () => {
    const wanted = fold(search.value.trim());
    let shown = 0;
    for (const row of players) {
      const hidden = !fold(row.querySelector(".name").textContent).includes(wanted);
      row.hidden = hidden;
      const games = gamesRow(row);
      if (games) games.hidden = hidden;
      shown += !hidden;
    }
    found.textContent = wanted ? `${shown} of ${players.length} players` : "";
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const header = button.closest("th[data-kind]");
    if (header) sort(header); else if (button.closest("tr.player")) toggle(button);
  });
  search.addEventListener("input", filter);
  document.querySelector(".search").hidden = false;
})();
