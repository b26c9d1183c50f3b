// The page of a review without reloading: keys, decisions, changes that come while somebody reads.
// Everything here also works without it, by forms and links. The reader's place is sacred: what is focused, typed and
// looked at stays where it is, whatever arrives.
"use strict";

(() => {
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const live = one("#live");
  const csrf = document.body.dataset.csrf;
  root.classList.add("scripted");

  // What is said, for the eye and for those who listen.

  let quiet = 0;
  function say(text, isError = false) {
    live.textContent = text;
    live.classList.toggle("error", isError);
    live.classList.add("shown");
    clearTimeout(quiet);
    quiet = setTimeout(() => live.classList.remove("shown"), isError ? 9000 : 3500);
  }

  // Light and dark.

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  one("#theme")?.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    document.cookie = `steadyhand-theme=${root.dataset.theme}; Path=/; SameSite=Strict; Max-Age=31536000`;
    say(`${root.dataset.theme} colours`);
  });
  one("#help")?.addEventListener("click", () => one("#keys").showModal());

  if (!csrf) return;

  // Elements.

  const files = one("#files");
  const menu = one("#menu");
  const hunkOf = (node) => node?.closest?.(".hunk") ?? null;
  const hunks = () => all(".hunk:not(.gone)");
  const isPending = (hunk) => hunk.classList.contains("pending");
  const sending = new Set(); // the keys of changes whose decision is on its way
  const waits = (hunk) => hunk.dataset.state === "undecided" && !sending.has(hunk.id);

  function made(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content.firstElementChild;
  }

  function query(more = {}) {
    const params = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(more)) params.set(name, value);
    return params.toString();
  }

  async function ask(address, options = {}) {
    const answer = await fetch(address, { credentials: "same-origin", ...options });
    if (answer.status === 401) closed();
    return answer;
  }

  function closed() {
    say("The server of this page has ended. Start steadyhand review --web again; what was decided is kept.", true);
    stream?.close();
  }

  // What somebody is writing outlives a reload, and a part of the page that is replaced.

  const draftName = (hunk, field) => `draft:${hunk.dataset.id}:${field.name}`;
  const isTyped = (field) => field.value !== field.defaultValue;

  document.addEventListener("input", (event) => {
    const hunk = hunkOf(event.target);
    if (!hunk || event.target.tagName !== "TEXTAREA") return;
    const name = draftName(hunk, event.target);
    if (isTyped(event.target)) sessionStorage.setItem(name, event.target.value);
    else sessionStorage.removeItem(name);
  });

  function restoreDrafts(hunk) {
    for (const field of all("textarea", hunk)) {
      const draft = sessionStorage.getItem(draftName(hunk, field));
      if (draft === null) continue;
      field.value = draft;
      const amend = field.closest("details");
      if (amend) amend.open = true;
    }
  }

  // What is sent leaves its field at once, so that the next text can be written there; it is kept until it has arrived.

  function takeTyped(hunk) {
    const typed = all("textarea", hunk).filter(isTyped).map((field) => ({ name: field.name, value: field.value }));
    for (const field of all("textarea", hunk)) field.value = field.defaultValue;
    return typed;
  }

  function settle(key, typed, hasArrived) {
    const hunk = document.getElementById(key);
    for (const { name, value } of hunk ? typed : []) {
      const field = one(`textarea[name="${name}"]`, hunk);
      if (!field) continue;
      const draft = draftName(hunk, field);
      if (hasArrived) {
        if (sessionStorage.getItem(draft) === value) sessionStorage.removeItem(draft);
        if (field.value === value) field.value = field.defaultValue;
      } else if (!isTyped(field)) {
        field.value = value;
        sessionStorage.setItem(draft, value);
        for (const part of [one("details.body", hunk), field.closest("details")]) if (part) part.open = true;
      }
    }
  }

  // The reader's place.

  let current = null; // the key of the change that keys are about

  function keepPlace(change) {
    const focused = hunkOf(document.activeElement);
    const inView = (hunk) => {
      const box = hunk.getBoundingClientRect();
      return box.bottom > 80 && box.top < innerHeight;
    };
    const anchor = focused && inView(focused) ? focused : hunks().find(inView);
    const id = anchor?.id;
    const before = anchor?.getBoundingClientRect().top;
    change();
    const now = id && document.getElementById(id);
    if (now) {
      const moved = now.getBoundingClientRect().top - before;
      if (Math.abs(moved) > 0.5) scrollBy(0, moved);
    }
  }

  function replace(old, fresh) {
    const active = document.activeElement;
    const hadFocus = old.contains(active);
    const spot = hadFocus && active !== old
      ? { name: active.name, value: active.value, tag: active.tagName, from: active.selectionStart, to: active.selectionEnd }
      : null;
    for (const field of all("textarea", old)) {
      const same = one(`textarea[name="${field.name}"]`, fresh);
      if (same && isTyped(field)) same.value = field.value;
    }
    for (const part of all("details", old)) {
      const same = one(`details.${part.classList[0]}`, fresh);
      if (same && part.dataset.touched) {
        same.open = part.open;
        same.dataset.touched = "1";
      }
    }
    old.replaceWith(fresh);
    if (fresh.id === current) fresh.classList.add("current");
    restoreDrafts(fresh);
    if (!hadFocus) return;
    const target = spot && all(spot.tag, fresh).find((each) => each.name === spot.name
      && (spot.tag !== "BUTTON" || each.value === spot.value));
    (target && !target.disabled ? target : fresh).focus({ preventScroll: true });
    if (target && spot.from !== undefined && target.setSelectionRange) target.setSelectionRange(spot.from, spot.to);
  }

  document.addEventListener("click", (event) => {
    const summary = event.target.closest?.("summary");
    if (summary) summary.parentElement.dataset.touched = "1";
    if (menu && event.target.closest?.("#side a")) menu.checked = false;
  });

  // Changes are loaded when they come near.

  let wanted = new Set();
  let loading = null;

  async function load(keys) {
    for (let at = 0; at < keys.length; at += 40) {
      const some = keys.slice(at, at + 40);
      const answer = await ask(`/parts?${query({ keys: some.join(",") })}`);
      if (!answer.ok) return;
      const parts = await answer.json();
      keepPlace(() => {
        for (const [key, html] of Object.entries(parts)) {
          const old = document.getElementById(key);
          if (old) replace(old, made(html));
        }
      });
    }
  }

  function soon(key) {
    wanted.add(key);
    loading ??= new Promise((done) => setTimeout(async () => {
      const keys = [...wanted];
      wanted = new Set();
      loading = null;
      await load(keys).catch(() => {});
      done();
    }, 20));
    return loading;
  }

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      if (isPending(entry.target)) soon(entry.target.id);
    }
  }, { rootMargin: "900px 0px" });

  function watch(hunk) {
    if (isPending(hunk)) near.observe(hunk);
    else restoreDrafts(hunk);
  }

  // Moving.

  // The place changes when a key is pressed, never later: what is typed next is about what is seen now.

  function go(hunk) {
    if (!hunk) return;
    mark(hunk);
    hunk.focus({ preventScroll: true });
    bringIntoView(hunk);
    if (isPending(hunk)) soon(hunk.id).then(() => current === hunk.id && bringIntoView(document.getElementById(hunk.id)));
  }

  function bringIntoView(hunk) {
    if (!hunk) return;
    const box = hunk.getBoundingClientRect();
    if (box.top < 110 || box.bottom > innerHeight) hunk.scrollIntoView({ block: box.height > innerHeight - 160 || box.top < 110 ? "start" : "center" });
  }

  const spot = () => `${hunkOf(document.activeElement)?.id} ${document.activeElement?.name}`;

  function mark(hunk) {
    if (current !== hunk.id) document.getElementById(current)?.classList.remove("current");
    current = hunk.id;
    hunk.classList.add("current");
  }

  document.addEventListener("focusin", (event) => {
    const hunk = hunkOf(event.target);
    if (hunk) mark(hunk);
  });

  function here() {
    return hunkOf(document.activeElement) ?? document.getElementById(current) ?? hunks().find(waits) ?? hunks()[0] ?? null;
  }

  function step(direction, fits) {
    const list = hunks();
    const now = hunkOf(document.activeElement) ?? document.getElementById(current);
    let at = now ? list.indexOf(now) : direction > 0 ? -1 : list.length;
    for (let count = 0; count < list.length; count += 1) {
      at = (at + direction + list.length) % list.length;
      if (fits(list[at])) {
        go(list[at]);
        return;
      }
    }
    say(list.length ? "no change is waiting for a decision here" : "there is no change here");
  }

  // Decisions.

  let queue = Promise.resolve(); // decisions arrive in the order of the keys, so that an undo finds what it is about

  function send(form, verb) {
    const hunk = hunkOf(form);
    if (verb === "comment" && !one("textarea[name=remark]", form).value.trim()) {
      write(form, "remark", "comment");
      return;
    }
    if (hunk && sending.has(hunk.id)) {
      say("a decision about this change is on its way");
      return;
    }
    const data = new URLSearchParams(new FormData(form));
    data.set("verb", verb);
    const typed = hunk ? takeTyped(hunk) : [];
    if (hunk) sending.add(hunk.id);
    if (hunk && verb !== "comment") go(nextOf(hunk) ?? hunk);
    else if (hunk?.contains(document.activeElement)) hunk.focus({ preventScroll: true });
    const place = spot();
    queue = queue.then(() => decide(data, hunk?.id, typed, place)).catch(() => {});
  }

  function nextOf(hunk) {
    const list = hunks();
    const at = list.indexOf(hunk);
    return [...list.slice(at + 1), ...list.slice(0, at)].find(waits);
  }

  async function decide(data, key, typed, place) {
    let answer = null;
    let said = { ok: false, said: "The server could not be reached; nothing was decided." };
    try {
      answer = await ask("/decide", { method: "POST", body: data, headers: { Accept: "application/json" } });
      said = await answer.json();
    } catch {
      // said already
    }
    sending.delete(key);
    if (key) settle(key, typed, said.ok);
    if (!said.ok) {
      if (key && spot() === place) go(document.getElementById(key));
      say([said.said, ...(said.hints ?? [])].join("\n"), true);
      if (answer?.status === 409 || answer?.status === 404) await sync();
      return;
    }
    await sync();
    const left = one("#progress .left")?.textContent ?? "";
    say(`${said.said} · ${left}`);
    if (data.get("verb") === "undo" && spot() === place) go(hunks().find((each) => said.changes.includes(each.dataset.id)));
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.getAttribute("action") !== "/decide") return;
    event.preventDefault();
    send(form, event.submitter?.value ?? "comment");
  });

  function press(within, verb) {
    const button = within && one(`button[value="${verb}"]`, within);
    if (!button || button.disabled) {
      say("that cannot be done here");
      return;
    }
    send(button.form, verb);
  }

  function write(within, name, verb) {
    const field = one(`textarea[name="${name}"]`, within);
    if (!field) {
      say("this change cannot be amended here");
      return;
    }
    for (const part of [one("details.body", hunkOf(field)), field.closest("details")]) {
      if (!part) continue;
      part.open = true;
      part.dataset.touched = "1";
    }
    field.dataset.verb = verb;
    field.focus();
    say(`write, then Ctrl+Enter to ${verb === "reject" ? "reject with this remark" : verb}`);
  }

  document.addEventListener("click", async (event) => {
    const more = event.target.closest?.("[data-more]");
    if (!more || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const answer = await ask(more.href, { headers: { "X-Part": "1" } });
    const old = document.getElementById(more.dataset.more);
    if (answer.ok && old) {
      const fresh = made(await answer.text());
      keepPlace(() => replace(old, fresh));
      for (const part of all("details.body", fresh)) part.open = true;
    }
  });

  // Keys.

  const loaded = async (hunk) => {
    if (hunk && isPending(hunk)) await soon(hunk.id);
    return hunk && document.getElementById(hunk.id);
  };
  const keys = {
    J: () => step(1, waits),
    K: () => step(-1, waits),
    j: () => step(1, () => true),
    k: () => step(-1, () => true),
    y: async () => press(await loaded(here()), "accept"),
    n: async () => press(await loaded(here()), "reject"),
    r: async () => write((await loaded(here())) ?? document, "remark", "reject"),
    c: async () => write((await loaded(here())) ?? document, "remark", "comment"),
    e: async () => write((await loaded(here())) ?? document, "text", "amend"),
    a: () => press(here()?.closest(".file"), "accept-file"),
    d: () => press(here()?.closest(".file"), "reject-file"),
    A: () => press(one("#filters"), "accept-plain"),
    u: () => press(one("#filters"), "undo"),
    v: async () => {
      const hunk = await loaded(here());
      const evidence = hunk && one(".evidence", hunk);
      if (!evidence) return say("no evidence is recorded for this file");
      const body = one("details.body", hunk);
      if (body) body.open = true;
      evidence.open = !evidence.open;
      evidence.dataset.touched = "1";
      return evidence.open && one("summary", evidence).focus();
    },
    b: () => {
      const other = all(".tab[data-view]").find((tab) => !tab.hasAttribute("aria-current"));
      if (other) location.assign(other.href + (current ? `#${current}` : ""));
    },
    "/": () => one("input[type=search]")?.focus(),
    "?": () => one("#keys").showModal(),
  };

  let opening = false; // a key waits for its change to be loaded; keys that follow would be about something else

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest?.("textarea, input:not([type=checkbox]), select");
    if (field) {
      if (event.key === "Escape") {
        (hunkOf(field) ?? document.body).focus();
        field.blur();
        hunkOf(field)?.focus({ preventScroll: true });
      } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && field.form) {
        event.preventDefault();
        send(field.form, field.dataset.verb ?? (field.name === "text" ? "amend" : "comment"));
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
    const act = keys[event.key];
    if (!act || (files === null && !["?"].includes(event.key))) return;
    event.preventDefault();
    if (opening) return;
    opening = true;
    Promise.resolve(act()).finally(() => {
      opening = false;
    });
  });

  // What others do while somebody reads.

  let syncing = null;
  let again = false;

  function sync() {
    if (!files) return Promise.resolve();
    if (syncing) {
      again = true;
      return syncing;
    }
    syncing = (async () => {
      do {
        again = false;
        const answer = await ask(`/state?${query()}`).catch(() => null);
        if (answer?.ok) await bring(await answer.json());
      } while (again);
      syncing = null;
    })();
    return syncing;
  }

  function refill(box, html) {
    if (!box || box.innerHTML === html) return;
    const active = document.activeElement;
    const inside = box.contains(active) ? active : null;
    const top = box.scrollTop;
    box.innerHTML = html;
    box.scrollTop = top;
    if (!inside) return;
    const same = all("a, button, input", box).find((each) =>
      inside.tagName === each.tagName && (inside.href ? each.href === inside.href : each.value === inside.value));
    same?.focus({ preventScroll: true });
  }

  function placeholder(key, version) {
    const hunk = document.createElement("article");
    hunk.className = "hunk pending";
    hunk.id = key;
    hunk.tabIndex = -1;
    hunk.textContent = "A change that has just come";
    Object.assign(hunk.dataset, { version, state: "undecided", id: key.slice(2, 14) });
    return hunk;
  }

  async function bring(state) {
    if (!files) return;
    const stale = [];
    keepPlace(() => {
      refill(one("#progress"), state.progress);
      refill(one("#side"), state.side);
      const filters = made(state.filters);
      if (filters) refill(one("#filters"), filters.innerHTML);
      if (state.files.length) one(".empty", files)?.remove();
      const keep = new Set();
      let before = null;
      for (const file of state.files) {
        keep.add(file.key);
        const section = sectionOf(file, before);
        before = section;
        bringFile(section, file, stale);
      }
      for (const section of all(".file", files)) {
        if (!keep.has(section.id)) for (const hunk of all(".hunk", section)) leave(hunk);
        if (!keep.has(section.id) && !one(".hunk", section)) section.remove();
      }
    });
    spy();
    if (stale.length) await load(stale);
  }

  function sectionOf(file, before) {
    let section = document.getElementById(file.key);
    if (!section) {
      section = document.createElement("section");
      section.className = "file";
      section.id = file.key;
      section.setAttribute("aria-labelledby", `${file.key}-h`);
      section.append(made(file.head));
    }
    place(section, before, files);
    return section;
  }

  // Whatever holds the focus does not move, for that would end it in the middle of a word: what is in its way does.
  function place(node, before, parent) {
    const next = before ? before.nextElementSibling : parent.firstElementChild;
    if (next === node) return;
    if (node.parentElement !== parent || !node.contains(document.activeElement)) {
      parent.insertBefore(node, next);
      return;
    }
    for (let other = next; other !== node;) {
      const following = other.nextElementSibling;
      parent.append(other);
      other = following;
    }
  }

  function bringFile(section, file, stale) {
    const head = one(".filehead", section);
    const fresh = made(file.head);
    refill(head, fresh.innerHTML);
    const keep = new Set(file.changes.map(([key]) => key));
    let last = head;
    for (const [key, version] of file.changes) {
      let hunk = document.getElementById(key);
      if (!hunk) {
        const other = document.getElementById(key.endsWith("-r") ? key.slice(0, -2) : `${key}-r`);
        if (other && !keep.has(other.id) && section.contains(other)) {
          if (current === other.id) current = key;
          other.id = key;
          hunk = other;
        }
      }
      if (!hunk) {
        hunk = placeholder(key, version);
        place(hunk, last, section);
        watch(hunk);
      } else if (hunk.dataset.version !== version) {
        hunk.dataset.version = version;
        if (!isPending(hunk)) stale.push(key);
      }
      place(hunk, last, section);
      last = hunk;
    }
    for (const hunk of all(".hunk", section)) if (!keep.has(hunk.id)) leave(hunk);
  }

  // A change that is no longer there goes, unless somebody is writing about it.
  function leave(hunk) {
    if (!all("textarea", hunk).some(isTyped)) {
      hunk.remove();
      return;
    }
    if (hunk.classList.contains("gone")) return;
    hunk.classList.add("gone");
    for (const button of all("button", hunk)) button.disabled = true;
    const said = document.createElement("p");
    said.className = "gone-said";
    said.textContent = "This change no longer exists: its text has changed, or somebody has decided about it. What you wrote is kept here.";
    one(".head", hunk)?.after(said);
  }

  let stream = null;
  let head = Number(document.body.dataset.head);

  function listen() {
    stream?.close();
    stream = new EventSource(`/events?after=${head}`);
    stream.addEventListener("journal", async (event) => {
      const news = JSON.parse(event.data);
      head = news.head;
      const timeline = one("#timeline");
      if (timeline) {
        const answer = await ask(location.href);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        timeline.replaceWith(one("#timeline", page) ?? timeline);
      }
      await sync();
      const others = news.events.filter((each) => !each.own && ["edit", "undo", "refusal", "conflict"].includes(each.type));
      if (others.length) {
        const last = others[others.length - 1];
        say(`${last.actor ?? "somebody"}: ${last.said}${others.length > 1 ? ` (and ${others.length - 1} more)` : ""}`);
      }
    });
    stream.onerror = () => {
      if (stream.readyState !== EventSource.CLOSED) return;
      setTimeout(async () => {
        const answer = await ask(`/state?${query()}`).catch(() => null);
        if (!answer) say("The server of this page has ended or cannot be reached. What was decided is kept.", true);
        else if (answer.ok) listen();
      }, 3000);
    };
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      stream?.close();
    } else {
      listen();
      sync();
    }
  });
  addEventListener("focus", () => files && sync());

  // Which file is looked at.

  function spy() {
    const at = all(".file").filter((section) => section.getBoundingClientRect().top < 160).pop();
    for (const link of all("#side [data-file]")) {
      if (at && link.dataset.file === at.id) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  }
  let spying = 0;
  addEventListener("scroll", () => {
    spying ||= requestAnimationFrame(() => {
      spying = 0;
      spy();
    });
  }, { passive: true });

  // Begin.

  all(".hunk").forEach(watch);
  for (const tab of all(".tab[data-view]")) {
    tab.addEventListener("click", (event) => {
      const hunk = document.getElementById(current);
      if (!hunk || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      location.assign(`${tab.href}#${hunk.id}`);
    });
  }
  const named = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named && named.classList.contains("hunk")) go(named);
  spy();
  listen();
})();
