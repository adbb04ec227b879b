/** The slowest and the failed requests lately, of the server or of a model: when, why, and where their time went. */

import {json} from './api.js';
import {h, name} from './dom.js';
import {feed, listen} from './feed.js';
import {time} from './format.js';
import {modelHref} from './models.js';
import {waterfall} from './waterfall.js';

const INTERVAL = 2000;
/** Milliseconds after which a page has recording go on, which ends after a minute. */
const RENEWAL = 20_000;
/** The phases in the order of a request, for the key of the colours. */
const PHASES = ['receive', 'queue', 'input', 'compute', 'output', 'respond', 'steps', 'cache'];

/** Has requests recorded, and returns those that were. */
function record(model) {
  return json(`/console/data/requests${model === null ? '' : `/${encodeURIComponent(model)}`}`, {method: 'POST', body: ''});
}

/** Has the requests of all models recorded while a page is visible, until the function that is returned is called. */
export function recordRequests() {
  let renewed = -Infinity;
  function renew() {
    if (feed.failure === null && performance.now() - renewed > RENEWAL) {
      renewed = performance.now();
      record(null).catch(() => { renewed = -Infinity; });
    }
  }
  renew();
  return listen(renew);
}

/** A text that no other request has. */
function identity({ageMillis, ...rest}) {
  return JSON.stringify(rest);
}

/** The requests of a model, those among them that only the recording of all models has. */
async function recorded(model) {
  const [own, all] = await Promise.all([record(model), record(null)]);
  const both = field => [...new Map([...own[field], ...all[field].filter(request => request.model === model)].map(request => [identity(request), request])).values()];
  return {slowest: both('slowest').sort((a, b) => b.nanos - a.nanos), failed: both('failed').sort((a, b) => a.ageMillis - b.ageMillis)};
}

/** A bar on the scale of its list, whose longest request has so many nanoseconds. */
function bar(row, longest) {
  const share = value => `${(100 * value / Math.max(longest, 1)).toFixed(2)}%`;
  return h('span', {class: 'gantt', 'aria-hidden': 'true'}, row.phases.map(({phase, from, to}) => {
    const part = h('i', {class: `phase ${phase}`});
    part.style.left = share(from);
    part.style.width = share(to - from);
    return part;
  }));
}

function item({request, rows}, longest, now) {
  const {version} = request.parts[0];
  const target = {name: request.model, version: String(version)};
  return h('li', {},
    h('p', {class: 'asked'},
      h('b', {class: 'num'}, time(request.nanos / 1e9)),
      version === 0 ? name(request.model) : h('a', {href: modelHref(target, 'requests')}, name(request.model)),
      version === 0 ? null : h('span', {class: 'muted'}, `version ${version}`),
      request.id === '' ? null : h('span', {}, 'id ', name(request.id)),
      request.trace === '' ? null : h('span', {class: 'muted'}, `trace ${request.trace}`),
      h('time', {class: 'muted'}, new Date(now - request.ageMillis).toLocaleTimeString())),
    request.failure === '' ? null : h('p', {class: 'reason bad'}, request.failure),
    h('ul', {class: 'phases'}, rows.map((row, i) => h('li', {},
      rows.length === 1 ? null : h('span', {class: i === 0 ? '' : 'step'}, name(row.model)),
      bar(row, longest),
      h('span', {class: 'times'}, row.phases.map(({phase, from, to}) => h('span', {}, `${phase} ${time((to - from) / 1e9)}`)))))));
}

function list(title, requests, none, now) {
  return h('div', {class: 'card'}, h('h2', {}, title),
    requests.length === 0 ? h('p', {class: 'muted'}, none)
      : h('ol', {class: 'requests'}, requests.map(each => item(each, Math.max(...requests.map(({request}) => request.nanos)), now))));
}

/** The requests of a model by its name, or of all models for null. */
export function requestsPart(model) {
  const said = h('p', {class: 'muted', role: 'status'}, 'Listening…');
  const keys = h('p', {class: 'keys'});
  const lists = h('div', {class: 'stack'});
  let timer;
  let isClosed = false;
  let shown = '';

  /** Whether someone reads there: what is drawn anew loses the focus and the selection. */
  function isInUse() {
    const selection = document.getSelection();
    return lists.contains(document.activeElement) || (!selection.isCollapsed && lists.contains(selection.anchorNode));
  }

  function show({slowest, failed}) {
    const text = JSON.stringify([slowest, failed].map(requests => requests.map(identity)));
    if (text === shown || isInUse()) {
      return;
    }
    shown = text;
    const now = Date.now();
    const [good, bad] = [slowest, failed].map(requests => requests.map(request => ({request, rows: waterfall(request)})));
    const phases = new Set([...good, ...bad].flatMap(({rows}) => rows.flatMap(row => row.phases.map(({phase}) => phase))));
    keys.replaceChildren(...PHASES.filter(phase => phases.has(phase)).map(phase => h('span', {class: `key phase ${phase}`}, phase)));
    lists.replaceChildren(
      list('Slowest', good, 'No request has succeeded since recording began: send one.', now),
      list('Failed', bad, 'None has failed.', now));
  }

  async function read() {
    clearTimeout(timer);
    if (isClosed || document.hidden) {
      return;
    }
    try {
      show(await (model === null ? record(null) : recorded(model)));
      said.textContent = `Recorded while this page or that of ${model === null ? 'a model' : 'the model'} is visible, and a minute longer; the last five minutes are kept, the last failure first.`;
    } catch (failed) {
      said.textContent = failed.message;
    }
    timer = setTimeout(read, INTERVAL);
  }

  document.addEventListener('visibilitychange', read);
  read();
  return {
    element: h('div', {class: 'stack'},
      h('div', {}, said, keys),
      lists),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', read);
    },
  };
}

export function requestsPage() {
  const {element, close} = requestsPart(null);
  return {
    title: 'Requests',
    element: h('section', {class: 'stack'}, h('h1', {}, 'The slowest and the failed requests'), element),
    close,
  };
}
