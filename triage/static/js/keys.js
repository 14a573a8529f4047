// Keys: "/" goes to the search of the page, "j" and "k" walk the links of its first list.
"use strict";

const LINKS = ".rows tbody a, .list a";

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable]") !== null;
}

function goToSearch() {
  const search = document.querySelector("input[type=search]");
  search?.focus();
  search?.select();
  return search !== null;
}

// One stop per row: a row's first link is what the row is about.
function firstLinks() {
  const links = [...document.querySelectorAll(LINKS)];
  const rows = new Set();
  return links.filter((link) => {
    const row = link.closest("tr, li");
    return !rows.has(row) && rows.add(row);
  });
}

function step(by) {
  const links = firstLinks();
  const row = document.activeElement.closest("tr, li");
  const at = links.findIndex((link) => link.closest("tr, li") === row);
  const next = at === -1 ? (by > 0 ? 0 : links.length - 1) : at + by;
  links[next]?.focus();
  return next in links;
}

const KEYS = { "/": goToSearch, j: () => step(1), k: () => step(-1) };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (KEYS[event.key]?.()) event.preventDefault();
});
