"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  const size = (bytes) => {
    if (bytes < 1024) return `${bytes} bytes`;
    if (bytes < 1048576) return `${(bytes / 1024).toFixed(0)} kB`;
    return `${(bytes / 1048576).toFixed(1)} MB`;
  };
  const say = (text) => { one("#said").textContent = text; };

  // ---- Sending files ----------------------------------------------------------------------
  const prepareUpload = (form) => {
    const list = one(".files", form);
    const total = one(".total", form);
    const trouble = one(".trouble", form);
    const drop = one(".drop", form);
    const send = one(".send", form);
    const bar = one("progress", form);
    const limits = form.dataset;
    const known = limits.endings.split(" ");
    let chosen = [];
    form.classList.add("enhanced");
    for (const input of all('input[type="file"]', form)) input.required = false;
    const folders = "webkitdirectory" in element("input");
    for (const node of all(".folder", form)) node.hidden = !folders;

    const complain = (text) => {
      trouble.hidden = !text;
      one("p", trouble).textContent = text;
    };
    const problem = () => {
      const bytes = chosen.reduce((sum, each) => sum + each.file.size, 0);
      const large = chosen.find((each) => each.file.size > Number(limits.fileBytes));
      if (large) {
        return `${large.path} has ${size(large.file.size)}; a file may have ` +
          `${size(Number(limits.fileBytes))}. Split it, or send a part of the games.`;
      }
      if (chosen.length > Number(limits.files)) {
        return `These are ${count(chosen.length, "file")}; ${limits.files} can be sent at once. ` +
          "Put them into a zip archive, or send fewer.";
      }
      if (bytes > Number(limits.requestBytes)) {
        return `These files have ${size(bytes)}; ${size(Number(limits.requestBytes))} can be sent ` +
          "at once. Send fewer.";
      }
      return "";
    };
    const show = () => {
      const bytes = chosen.reduce((sum, each) => sum + each.file.size, 0);
      list.replaceChildren(...chosen.map((each, place) => {
        const line = element("li");
        const remove = element("button", "Remove");
        remove.type = "button";
        remove.setAttribute("aria-label", `Remove ${each.path}`);
        remove.addEventListener("click", () => {
          chosen.splice(place, 1);
          show();
          const next = all("button", list)[Math.min(place, chosen.length - 1)];
          (next || one('input[type="file"]', form)).focus();
        });
        line.append(element("span", each.path, "file-name"),
          element("span", size(each.file.size), "quiet"), remove);
        return line;
      }));
      total.textContent = chosen.length ? `${count(chosen.length, "file")}, ${size(bytes)}` : "";
      complain(problem());
    };
    const add = (files) => {
      const taken = new Set(chosen.map((each) => `${each.path} ${each.file.size}`));
      const right = files.filter((each) =>
        each.alone || known.some((ending) => each.path.toLowerCase().endsWith(ending)));
      chosen.push(...right.filter((each) => !taken.has(`${each.path} ${each.file.size}`)));
      show();
      const other = files.length - right.length;
      say(`${total.textContent || "No file"} chosen` +
        (other ? `; ${count(other, "file")} of other kinds left out` : ""));
      if (other && !right.length) {
        complain(`None of the ${count(other, "file")} in the folder is a record of games ` +
          `(${known.join(", ")}).`);
      }
    };
    for (const input of all('input[type="file"]', form)) {
      input.addEventListener("change", () => {
        const folder = input.hasAttribute("webkitdirectory");
        add([...input.files].map((file) =>
          ({ file, path: file.webkitRelativePath || file.name, alone: !folder })));
        input.value = "";
      });
    }

    // A dropped folder is walked through; a browser gives its entries a hundred at a time.
    const entries = (reader) => new Promise((done, failed) => reader.readEntries(done, failed));
    const walk = async (entry, alone) => {
      if (entry.isFile) {
        const file = await new Promise((done, failed) => entry.file(done, failed));
        return [{ file, path: entry.fullPath.replace(/^\//, ""), alone }];
      }
      const files = [];
      const reader = entry.createReader();
      for (let part = await entries(reader); part.length; part = await entries(reader)) {
        for (const inner of part) files.push(...await walk(inner, false));
        if (files.length > 20000) break;
      }
      return files;
    };
    const files = (event) => [...event.dataTransfer.types].includes("Files");
    document.addEventListener("dragover", (event) => {
      if (!files(event)) return;
      event.preventDefault();
      drop.classList.add("over");
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) drop.classList.remove("over");
    });
    document.addEventListener("drop", async (event) => {
      if (!files(event)) return;
      event.preventDefault();
      drop.classList.remove("over");
      const roots = [...event.dataTransfer.items].map((item) =>
        item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
      const plain = [...event.dataTransfer.files];
      try {
        const parts = roots.length
          ? await Promise.all(roots.map((root) => walk(root, true)))
          : [plain.map((file) => ({ file, path: file.name, alone: true }))];
        add(parts.flat());
      } catch {
        add(plain.map((file) => ({ file, path: file.name, alone: true })));
      }
    });

    const busy = (on) => {
      send.disabled = on;
      bar.hidden = !on;
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const wrong = problem();
      const user = one("#ogs", form);
      const named = user !== null && user.value.trim() !== "";
      if (named && chosen.length) {
        complain("Send files or a user's name, not both.");
        trouble.focus();
        return;
      }
      if ((!chosen.length && !named) || wrong) {
        complain(wrong || "Choose the records of some games first.");
        trouble.focus();
        return;
      }
      const data = new FormData();
      for (const [name, value] of new FormData(form)) {
        if (typeof value === "string" && value !== "") data.append(name, value);
      }
      for (const each of chosen) data.append("files", each.file, each.path);
      const request = new XMLHttpRequest();
      request.open("POST", form.action);
      request.setRequestHeader("Accept", "application/json");
      request.upload.addEventListener("progress", (sent) => {
        if (sent.lengthComputable) bar.value = sent.loaded / sent.total;
      });
      const failed = (text) => {
        busy(false);
        complain(text);
        trouble.focus();
      };
      request.addEventListener("load", () => {
        let answer = {};
        try { answer = JSON.parse(request.responseText); } catch { /* no JSON: told below */ }
        if (request.status < 300 && answer.page) {
          location.assign(answer.page);
        } else {
          const error = answer.error || {};
          failed([error.file && `${error.file}:`, error.message || `The server answers ${request.status}.`,
            error.hint || ""].filter(Boolean).join(" "));
        }
      });
      request.addEventListener("error", () =>
        failed("The files did not arrive. Is there a connection? Then try again."));
      complain("");
      bar.value = 0;
      busy(true);
      say("Sending the files");
      request.send(data);
    });
    window.addEventListener("pageshow", () => busy(false));
  };

  // ---- Watching a job ---------------------------------------------------------------------
  const watch = (section) => {
    const bar = one("progress", section);
    const words = one(".words", section);
    const address = section.dataset.watch;
    let pause = 500;
    let stage = "";
    const later = () => setTimeout(look, pause);
    const look = async () => {
      if (!document.body.contains(section)) return;
      try {
        const answer = await fetch(address, { headers: { Accept: "application/json" } });
        if (!answer.ok && answer.status !== 404 && answer.status !== 410) throw new Error("later");
        const state = answer.ok ? await answer.json() : {};
        if (!state.going) return replace();
        if (state.share === null) bar.removeAttribute("value"); else bar.value = state.share;
        words.textContent = state.words;
        if (state.stage !== stage) say(state.words);
        stage = state.stage;
        pause = Math.min(pause * 1.1, 3000);
      } catch {
        words.textContent = "No answer from the server at the moment; asking again.";
        pause = Math.min(pause * 2, 15000);
      }
      return later();
    };
    later();
  };
  const replace = async () => {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.title = page.title;
    one("main").replaceChildren(...one("main", page).childNodes);
    prepare(one("main"));
    one("main").dispatchEvent(new Event("newcontent", { bubbles: true }));
    const title = one("main h1");
    title.tabIndex = -1;
    title.focus();
    say(title.textContent);
  };

  // ---- Keeping a result -------------------------------------------------------------------
  const prepareAddress = (part) => {
    const input = one("input", part);
    input.value = location.origin + new URL(input.value, location.href).pathname;
    const button = one("button", part);
    button.hidden = false;
    input.addEventListener("focus", () => input.select());
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(input.value);
      } catch { // no permission, or no HTTPS
        input.select();
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      say("Address copied");
    });
  };

  const prepare = (root) => {
    all("form.upload", root).forEach(prepareUpload);
    all("[data-watch]", root).forEach(watch);
    all(".address", root).forEach(prepareAddress);
    all("time[datetime]", root).forEach((time) => {
      const moment = new Date(time.dateTime);
      if (!Number.isNaN(moment.getTime())) {
        time.textContent = moment.toLocaleString([], { dateStyle: "long", timeStyle: "short" });
      }
    });
  };
  prepare(document);
})();
