// SPDX-License-Identifier: MIT
// The search: the index is a script of its own (search_index.js: [name, where, page]), loaded when somebody looks for
// something, so that it also works for files on a disk.
(function () {
  'use strict';
  const input = document.querySelector('.find input');
  const list = document.getElementById('found');
  let chosen = -1;
  let asked = false;

  function load() {
    if (asked) return;
    asked = true;
    const script = document.createElement('script');
    script.src = 'search_index.js';
    script.onload = show;
    document.head.append(script);
  }

  // Best: the whole name, with or without its prefix; then names that begin so; then words inside; then any place.
  function rank(name, text) {
    const bare = name.replace(/^weft_/, '');
    if (name === text || bare === text) return 0;
    if (bare.startsWith(text) || name.startsWith(text)) return 1;
    const at = name.search(new RegExp('(^|[_ ./:])' + text.replace(/[^\w]/g, '\\$&')));
    if (at >= 0) return 2;
    return name.includes(text) ? 3 : 9;
  }

  function matches(text) {
    const words = text.split(/\s+/);
    const rows = [];
    for (const row of window.searchIndex) {
      const name = row[0].toLowerCase();
      const whole = rank(name, text);
      const best = whole < 9 ? whole : words.length > 1 && words.every((word) => name.includes(word)) ? 4 : 9;
      if (best < 9) rows.push([best + (row[1].startsWith('member') ? 0.5 : 0), name.length, row]);
    }
    rows.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return rows.slice(0, 40).map((entry) => entry[2]);
  }

  function show() {
    const text = input.value.trim().toLowerCase();
    list.replaceChildren();
    chosen = -1;
    list.hidden = !text || !window.searchIndex;
    if (list.hidden) return;
    for (const [name, where, page] of matches(text)) {
      const item = document.createElement('li');
      const link = document.createElement('a');
      const place = document.createElement('small');
      link.href = page;
      link.textContent = name;
      place.textContent = where;
      link.append(place);
      item.append(link);
      list.append(item);
    }
    if (!list.firstChild) {
      const nothing = document.createElement('p');
      nothing.textContent = 'Nothing has this name.';
      list.append(nothing);
    } else {
      choose(0);
    }
  }

  function choose(number) {
    const items = list.querySelectorAll('li');
    if (!items.length) return;
    if (items[chosen]) items[chosen].classList.remove('chosen');
    chosen = (number + items.length) % items.length;
    items[chosen].classList.add('chosen');
    items[chosen].scrollIntoView({ block: 'nearest' });
  }

  input.addEventListener('focus', load);
  input.addEventListener('input', () => { load(); show(); });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Escape') { input.value = ''; show(); input.blur(); }
    else if (event.key === 'Enter' && list.querySelector('.chosen a')) list.querySelector('.chosen a').click();
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', () => { list.hidden = true; });
  document.addEventListener('click', (event) => { if (!event.target.closest('.find')) list.hidden = true; });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !event.target.closest('input')) { event.preventDefault(); input.focus(); }
  });

  const here = location.pathname.split('/').pop();
  const isReference = here.startsWith('group__') || here.startsWith('class');
  const link = document.querySelector(`#bar nav a[href="${isReference ? 'reference.html' : here}"]`);
  if (link) link.classList.add('here');

  const wanted = new URLSearchParams(location.search).get('q');
  if (wanted) { input.value = wanted; load(); }
})();
