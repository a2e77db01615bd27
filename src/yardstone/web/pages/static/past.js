"use strict";
// Estimates that a visitor has kept in the browser, compared with the one on the page.
(() => {
  const STORE = "yardstone-estimates";
  const MOST = 200;
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const drawn = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const say = (text) => { document.querySelector("#said").textContent = text; };

  // What stands in the store may be of another version, or of anybody's making.
  const number = (value) => typeof value === "number" && Number.isFinite(value);
  const sound = (each) => each && typeof each.player === "string" && number(each.games)
    && typeof each.address === "string" && /^\/(?!\/)/.test(each.address)
    && each.scales && typeof each.scales === "object" && !Number.isNaN(when(each));
  const read = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(STORE) || "[]");
      return Array.isArray(kept) ? kept.filter(sound) : [];
    } catch { // no store, or nothing that can be read
      return [];
    }
  };
  const write = (estimates) => {
    try {
      localStorage.setItem(STORE, JSON.stringify(estimates.slice(-MOST)));
      return true;
    } catch {
      return false;
    }
  };

  const fold = (name) => name.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");
  const key = (each) => [each.address, fold(each.player), each.colour].join(" ");
  // The day of the newest game; that of the measurement where the games have no dates.
  const when = (each) => Date.parse(each.last || each.measured);
  const day = (each) => new Date(when(each)).toLocaleDateString([], { dateStyle: "medium" });
  const rating = (scale, value) =>
    (scale === "fox" ? (Math.floor(value * 10) / 10).toFixed(1) : value.toFixed(0));
  const interval = (scale, { low, high }) => {
    if (!number(low)) return number(high) ? `below ${rating(scale, high)}` : "none";
    return number(high) ? `${rating(scale, low)} to ${rating(scale, high)}` : `above ${rating(scale, low)}`;
  };

  const HEIGHT = 230, LEFT = 48, RIGHT = 20, TOP = 14, BOTTOM = 34;
  const chart = (estimates, scale, now, room) => {
    const WIDTH = Math.min(Math.max(room, 280), 640);
    const parts = estimates.map((each) => each.scales[scale]);
    const ends = parts.flatMap((part) => [part.low, part.rating, part.high]).filter(number);
    const step = scale === "fox" ? 1 : 100;
    const bottom = Math.floor(Math.min(...ends) / step) * step;
    const top = Math.max(Math.ceil(Math.max(...ends) / step) * step, bottom + step);
    const times = estimates.map(when);
    const first = Math.min(...times), last = Math.max(...times);
    const x = (time) => (last === first ? (LEFT + WIDTH - RIGHT) / 2
      : LEFT + 24 + (WIDTH - RIGHT - LEFT - 48) * (time - first) / (last - first));
    const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (top - value) / (top - bottom);
    const words = estimates.map((each, place) =>
      `${day(each)}: ${rating(scale, parts[place].rating)}, interval ${interval(scale, parts[place])}`);
    const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
      "aria-label": `Estimates over time. ${words.join("; ")}.` });
    const every = step * Math.max(1, Math.ceil((top - bottom) / step / 6));
    for (let value = bottom; value <= top; value += every) {
      svg.append(drawn("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
        drawn("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, String(value)));
    }
    const path = parts.map((part, place) => `${x(times[place])} ${y(part.rating)}`).join("L");
    svg.append(drawn("path", { d: `M${path}`, class: "way" }));
    estimates.forEach((each, place) => {
      const part = parts[place], at = x(times[place]);
      const mark = drawn("g", { class: each === now ? "now" : "" });
      if (number(part.low) || number(part.high)) {
        mark.append(drawn("line", { class: "interval", x1: at, x2: at,
          y1: y(number(part.low) ? part.low : bottom), y2: y(number(part.high) ? part.high : top) }));
      }
      mark.append(drawn("circle", { cx: at, cy: y(part.rating), r: 6 }),
        drawn("title", {}, words[place]));
      svg.append(mark);
    });
    for (const [time, anchor] of first === last ? [[first, "middle"]] : [[first, "middle"], [last, "middle"]]) {
      const label = new Date(time).toLocaleDateString([], { dateStyle: "medium" });
      svg.append(drawn("text", { x: x(time), y: HEIGHT - 10, "text-anchor": anchor }, label));
    }
    return svg;
  };

  const table = (estimates, scale, now, forget) => {
    const made = element("table");
    const head = made.appendChild(element("thead")).appendChild(element("tr"));
    const classes = { "Newest game": "left", Games: "extra" };
    for (const title of ["Newest game", "Games", "Rating", "Interval", ""]) {
      head.append(element("th", title, classes[title] || ""));
    }
    const body = made.appendChild(element("tbody"));
    for (const each of estimates) {
      const row = body.appendChild(element("tr"));
      const part = each.scales[scale];
      const first = row.appendChild(element("td", undefined, "left"));
      const gone = each !== now && Date.parse(each.expires) < Date.now();
      if (each === now || gone) first.textContent = day(each) + (gone ? " (expired)" : "");
      else first.appendChild(element("a", day(each))).href = each.address;
      const strength = part.rank ? `${part.rank} (${rating(scale, part.rating)})` : rating(scale, part.rating);
      row.append(element("td", String(each.games), "extra"), element("td", strength),
        element("td", interval(scale, part)));
      const last = row.appendChild(element("td"));
      if (each.remembered) {
        const button = last.appendChild(element("button", "Remove"));
        button.type = "button";
        button.setAttribute("aria-label", `Remove the estimate of ${day(each)}`);
        button.addEventListener("click", () => forget(each));
      } else last.textContent = "this one";
    }
    const wide = element("div", undefined, "wide");
    wide.append(made);
    return wide;
  };

  const prepare = (section) => {
    const now = JSON.parse(section.dataset.result);
    const course = section.querySelector(".course");
    const remember = section.querySelector(".remember");
    const show = () => {
      const kept = read().map((each) => ({ ...each, remembered: true }));
      const own = kept.filter((each) => fold(each.player) === fold(now.player)
        && each.colour === now.colour && each.scales[now.scale] && number(each.scales[now.scale].rating));
      const known = own.find((each) => key(each) === key(now));
      const current = known || now;
      const estimates = known ? own : [...own, now];
      estimates.sort((a, b) => when(a) - when(b));
      course.replaceChildren();
      if (estimates.length > 1) {
        const title = (now.scales[now.scale] || {}).title || now.scale;
        course.append(element("p", `${now.player} on the scale of ${title}, by the day of the newest game:`),
          chart(estimates, now.scale, current, course.clientWidth));
        course.append(element("p", "Where intervals overlap, the strength may be the same. Estimates "
          + "from the same games are bound to agree.", "quiet"));
      }
      if (estimates.length > 1 || known) course.append(table(estimates, now.scale, current, forget));
      remember.hidden = Boolean(known);
    };
    const forget = (gone) => {
      write(read().filter((each) => key(each) !== key(gone)));
      say("Removed");
      show();
      if (!remember.hidden) remember.focus();
    };
    remember.addEventListener("click", () => {
      if (!write([...read(), now])) {
        remember.textContent = "This browser keeps nothing";
        return;
      }
      say("Remembered in this browser");
      show();
    });
    section.hidden = false;
    show();
  };

  const all = (root) => root.querySelectorAll(".past").forEach(prepare);
  all(document);
  document.addEventListener("newcontent", (event) => all(event.target));
})();
