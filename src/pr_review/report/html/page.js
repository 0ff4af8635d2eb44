"use strict";
(() => {
  const controls = document.getElementById("controls");
  const tree = document.getElementById("tree");
  const flat = document.getElementById("flat");
  const count = document.getElementById("count");
  const fields = controls.elements;
  const rows = Array.from(tree.querySelectorAll("details.file"), (element, index) => ({
    element,
    index,
    home: element.parentElement,
    path: element.dataset.path.toLowerCase(),
    state: element.dataset.state,
    tier: element.dataset.tier,
    tokens: Number(element.dataset.tokens),
    omitted: Number(element.dataset.omitted),
    findings: Number(element.dataset.findings || 0),
  }));
  const folders = Array.from(tree.querySelectorAll("details.folder")).reverse();
  let asLeft = null; // which folders were open before a filter opened them

  const orders = {
    path: null,
    omitted: (a, b) => b.omitted - a.omitted || a.index - b.index,
    tokens: (a, b) => b.tokens - a.tokens || a.index - b.index,
    findings: (a, b) => b.findings - a.findings || a.index - b.index,
  };
  let order = "path";

  const wanted = (row) =>
    row.path.includes(fields.path.value.trim().toLowerCase()) &&
    (!fields.state.value || row.state === fields.state.value) &&
    (!fields.tier.value || row.tier === fields.tier.value);

  const filtering = () =>
    Boolean(fields.path.value.trim() || fields.state.value || fields.tier.value);

  function filter() {
    let found = 0;
    for (const row of rows) {
      row.element.hidden = !wanted(row);
      found += !row.element.hidden;
    }
    if (filtering() && !asLeft) asLeft = new Map(folders.map((f) => [f, f.open]));
    for (const folder of folders) { // the inner ones first
      const inside = folder.lastElementChild.children;
      folder.hidden = !Array.from(inside).some((child) => !child.hidden);
      if (asLeft) folder.open = filtering() ? !folder.hidden : asLeft.get(folder);
    }
    if (!filtering()) asLeft = null;
    count.value = `${found.toLocaleString("en")} of ${rows.length.toLocaleString("en")} files`;
  }

  function sort() {
    if (fields.sort.value === order) return;
    order = fields.sort.value;
    const compare = orders[order];
    tree.hidden = Boolean(compare);
    flat.hidden = !compare;
    if (compare) flat.append(...[...rows].sort(compare).map((row) => row.element));
    else for (const row of rows) row.home.append(row.element);
  }

  function update() {
    sort();
    filter();
  }

  // #path=src&state=omitted&tier=source&sort=tokens sets the controls; #f12 is a file's lines,
  // #f12-34 one of them, #n5 a finding.
  function follow() {
    const fragment = location.hash.slice(1);
    if (fragment.includes("=")) {
      for (const [name, value] of new URLSearchParams(fragment)) {
        if (["path", "state", "tier", "sort"].includes(name)) fields[name].value = value;
      }
      if (!fields.sort.value) fields.sort.value = "path";
      update();
      return;
    }
    const target = document.getElementById(fragment);
    const file = target && target.closest("details.file");
    if (!file) return;
    if (file.hidden) {
      controls.reset();
      update();
    }
    for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    (target.matches(".body") ? file : target).scrollIntoView();
  }

  function setFolders(open) {
    for (const folder of folders) folder.open = open;
  }

  controls.addEventListener("input", update);
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("reset", () => setTimeout(update));
  document.getElementById("open-all").addEventListener("click", () => setFolders(true));
  document.getElementById("close-all").addEventListener("click", () => setFolders(false));
  addEventListener("hashchange", follow);
  controls.hidden = false;
  update();
  follow();
})();
