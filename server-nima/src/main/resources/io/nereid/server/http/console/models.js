/** The page of all models: their states, why one did not load, and what they do now. */

import {keyOf, quantile, total} from './counts.js';
import {badge, h, name, setText} from './dom.js';
import {feed, lately, listen, refreshModels} from './feed.js';
import {count, draining, rate, time} from './format.js';

const COLUMNS = [
  {id: 'name', label: 'Model', of: row => row.name.toLowerCase()},
  {id: 'version', label: 'Version', of: row => Number(row.version ?? -1), class: 'num wide'},
  {id: 'state', label: 'State', of: row => row.state},
  {id: 'platform', label: 'Platform', of: row => row.platform ?? '', class: 'wide'},
  {id: 'scheduling', label: 'Scheduler', of: row => row.scheduling ?? '', class: 'wide'},
  {id: 'rate', label: 'Requests/s', of: row => row.now?.rate ?? -1, class: 'num', falls: true},
  {id: 'p99', label: 'p99', of: row => row.now?.p99 ?? -1, class: 'num wide', falls: true},
  {id: 'pending', label: 'Waiting', of: row => row.now?.pending ?? -1, class: 'num wide', falls: true},
];
const STATES = ['READY', 'LOADING', 'UNLOADING', 'UNAVAILABLE', 'NOT LOADED'];

/** What the user has chosen lives as long as the page is open. */
const choice = {filter: '', state: null, sort: 'name', falls: false};

export function modelHref(row, tab = 'try') {
  return `#/model/${encodeURIComponent(row.name)}/${encodeURIComponent(row.version ?? '')}/${tab}`;
}

function reason(row) {
  const text = row.reason || row.warning || '';
  if (text === '') {
    return null;
  }
  const isBad = row.state === 'UNAVAILABLE' && text !== 'unloaded';
  const short = text.length > 320;
  return short
    ? h('details', {class: isBad ? 'reason bad' : 'reason'}, h('summary', {}, `${text.slice(0, 280)}…`), h('pre', {}, text))
    : h('p', {class: isBad ? 'reason bad' : 'reason'}, text);
}

/** The row of a model, with cells that later readings change, and a second one for its reason. */
function line(row) {
  const why = reason(row);
  const note = why === null ? [] : [h('tr', {class: 'note'}, h('td', {colspan: String(COLUMNS.length)}, why))];
  const cells = {rate: h('td', {class: 'num'}), p99: h('td', {class: 'num wide'}), pending: h('td', {class: 'num wide'})};
  const element = h('tr', {class: why === null ? null : 'noted'},
    h('th', {scope: 'row'}, h('a', {href: modelHref(row, row.state === 'READY' ? 'try' : 'config')}, name(row.name))),
    h('td', {class: 'num wide'}, row.version ?? '–'),
    h('td', {}, badge(row.state), row.inFlight === undefined ? null : h('span', {class: 'hint'}, ` ${draining(row)}`)),
    h('td', {class: 'wide'}, row.platform ?? '–'),
    h('td', {class: 'wide'}, row.scheduling ?? '–', row.maxBatchSize > 0 ? `, ≤ ${row.maxBatchSize} rows` : ''),
    cells.rate, cells.p99, cells.pending);
  return {elements: [element, ...note], cells};
}

export function modelsPage() {
  let rows = [];
  let lines = new Map();
  let shownModels = null;
  let shownOrder = '';
  const body = h('tbody');
  const filter = h('input', {
    type: 'search', placeholder: 'Filter models  (press /)', 'aria-label': 'Filter models', value: choice.filter,
    oninput: () => { choice.filter = filter.value; draw(); },
  });
  const chips = h('div', {class: 'chips', role: 'group', 'aria-label': 'States'});
  const summary = h('p', {class: 'muted', role: 'status'});
  const heads = COLUMNS.map(column => h('th', {scope: 'col', class: column.class},
    h('button', {type: 'button', onclick: () => sortBy(column)}, column.label)));
  const tiles = h('dl', {class: 'tiles'});

  function sortBy(column) {
    choice.falls = choice.sort === column.id ? !choice.falls : column.falls === true;
    choice.sort = column.id;
    draw();
  }

  function refreshRows() {
    if (shownModels !== feed.models) {
      shownModels = feed.models;
      shownOrder = '';
      rows = feed.models.map((row, i) => ({...row, id: i, key: keyOf({name: row.name, version: row.version ?? ''})}));
      lines = new Map();
    }
    const latest = feed.readings.at(-1);
    for (const row of rows) {
      const done = latest?.byKey.has(row.key) ? lately(row.key) : null;
      row.now = done === null ? null : {
        rate: done.success / done.seconds,
        p99: quantile(done.phases.request, 0.99, latest.bucketsPerDoubling),
        pending: done.pending,
      };
    }
  }

  function chosen() {
    const words = choice.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const column = COLUMNS.find(each => each.id === choice.sort);
    const found = rows.filter(row =>
      (choice.state === null || row.state === choice.state)
      && words.every(word => `${row.name} ${row.platform ?? ''} ${row.scheduling ?? ''} ${row.reason}`.toLowerCase().includes(word)));
    const order = new Map(found.map(row => [row, column.of(row)]));
    const sign = choice.falls ? -1 : 1;
    return found.sort((a, b) => {
      const [x, y] = [order.get(a), order.get(b)];
      return x < y ? -sign : x > y ? sign : a.id - b.id;
    });
  }

  function drawChips() {
    const counts = new Map(STATES.map(state => [state, rows.filter(row => row.state === state).length]));
    const entries = [[null, 'all', rows.length], ...[...counts].map(([state, size]) => [state, state.toLowerCase(), size])]
      .filter(([state, , size]) => size > 0 || state === null || state === choice.state);
    const text = JSON.stringify([entries, choice.state]);
    if (chips.dataset.text !== text) { // else the keyboard's focus would be lost
      chips.dataset.text = text;
      chips.replaceChildren(...entries.map(([state, label, size]) => h('button', {
        type: 'button', 'aria-pressed': choice.state === state,
        onclick: () => { choice.state = state; draw(); },
      }, `${label} `, h('b', {}, String(size)))));
    }
  }

  function drawTiles() {
    const done = lately(null);
    const latest = feed.readings.at(-1);
    const show = text => (done === null ? '–' : text());
    const values = [
      ['Requests/s', show(() => rate(done.success / done.seconds))],
      ['p50', show(() => time(quantile(done.phases.request, 0.5, latest.bucketsPerDoubling)))],
      ['p99', show(() => time(quantile(done.phases.request, 0.99, latest.bucketsPerDoubling)))],
      ['Waiting', show(() => count(done.pending))],
      ['Failed/s', show(() => rate(total(done.failures) / done.seconds))],
      ['Refused/s', show(() => rate(total(done.refusals) / done.seconds))],
    ];
    tiles.replaceChildren(...values.map(([label, value]) => h('div', {}, h('dt', {}, label), h('dd', {}, value))));
  }

  function draw() {
    const found = chosen();
    for (const row of found) {
      if (!lines.has(row.id)) {
        lines.set(row.id, line(row));
      }
      const {cells} = lines.get(row.id);
      setText(cells.rate, row.now ? rate(row.now.rate) : '–');
      setText(cells.p99, time(row.now?.p99));
      setText(cells.pending, row.now ? count(row.now.pending) : '–');
    }
    const order = found.map(row => row.id).join();
    if (order !== shownOrder || body.childElementCount === 0) {
      shownOrder = order;
      body.replaceChildren(...found.flatMap(row => lines.get(row.id).elements));
      if (found.length === 0 && rows.length > 0) {
        body.append(h('tr', {}, h('td', {colspan: String(COLUMNS.length), class: 'muted'}, 'No model matches.')));
      }
    }
    heads.forEach((head, i) => {
      const isSorted = COLUMNS[i].id === choice.sort;
      head.setAttribute('aria-sort', isSorted ? (choice.falls ? 'descending' : 'ascending') : 'none');
    });
    setText(summary, feed.readings.length === 0 ? 'Reading the list…'
      : found.length === rows.length ? `${rows.length} versions of models` : `${found.length} of ${rows.length}`);
    drawChips();
    drawTiles();
  }

  function update() {
    refreshRows();
    draw();
  }

  function slash(event) {
    if (event.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) {
      event.preventDefault();
      filter.focus();
    }
  }

  document.addEventListener('keydown', slash);
  const stop = listen(update);
  update();
  return {
    title: 'Models',
    element: h('section', {},
      h('h1', {class: 'sr'}, 'Models'),
      tiles,
      h('div', {class: 'bar'}, filter, chips, summary,
        h('button', {type: 'button', class: 'quiet', onclick: () => refreshModels().catch(() => {})}, 'Read repositories')),
      h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of models'},
        h('table', {class: 'models'}, h('thead', {}, h('tr', {}, heads)), body))),
    close: () => {
      stop();
      document.removeEventListener('keydown', slash);
    },
  };
}
