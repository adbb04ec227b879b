/** Why batches were formed: the decisions of a scheduler, recorded for a minute, in its own words. */

import {ApiError, json, modelPath} from './api.js';
import {bars} from './chart.js';
import {rows, story, waited} from './decisions.js';
import {field, h, name, visible} from './dom.js';
import {feed, listen} from './feed.js';
import {count, time, words} from './format.js';
import {exampleRequest} from './inputs.js';
import {modelHref} from './models.js';
import {timeline} from './timeline.js';

/** Requests of one press of the button, and how many a browser has in flight at once. */
const BURST = 24;
/** Batches that the list has. */
const LISTED = 200;

function path(target) {
  return `/console/data/decisions/${encodeURIComponent(target.name)}/${encodeURIComponent(target.version)}`;
}

async function burst(target) {
  const metadata = await json(modelPath(target.name, target.version));
  const config = await json(`${modelPath(target.name, target.version)}/config`);
  const body = JSON.stringify({inputs: exampleRequest(metadata, (config.max_batch_size ?? 0) > 0)});
  const url = `${modelPath(target.name, target.version)}/infer`;
  const results = await Promise.allSettled(Array.from({length: BURST}, () => json(url, {method: 'POST', body})));
  return results.filter(result => result.status === 'rejected').map(result => result.reason.message);
}

/** The batch of the most requests. */
function largest(batches) {
  return batches.reduce((best, batch) => (batch.requests.length > best.requests.length ? batch : best));
}

/** Whether two readings of the decisions have the same batch. */
function isSame(batch, other) {
  return batch.at === other?.at && batch.instance === other.instance;
}

/** What is known of one batch: the sentence, and each request's wait. */
function details(batch) {
  const first = Math.min(...batch.requests.map(request => request.at ?? batch.at), batch.at);
  const end = batch.end ?? batch.at;
  const span = Math.max(end - first, 1e-9);
  const share = seconds => `${(100 * Math.max(0, seconds) / span).toFixed(2)}%`;
  const [sentence, ...rest] = batch.text.split(/(?<=\.) (?=The oldest)/);
  const lines = batch.requests.slice(0, 40).map(request => {
    const bar = h('span', {class: 'gantt'});
    if (request.at !== null) {
      const [wait, run] = [h('i', {class: 'wait'}), h('i', {class: 'run'})];
      wait.style.left = share(request.at - first);
      wait.style.width = share(batch.at - request.at);
      run.style.left = share(batch.at - first);
      run.style.width = share(end - batch.at);
      bar.append(wait, run);
    }
    return h('li', {}, h('span', {}, `request ${request.ticket} `, request.id === '' ? '' : h('bdi', {}, `'${request.id}'`)), bar,
      h('span', {class: 'num'}, request.at === null ? 'arrived before' : `waited ${time(batch.at - request.at)}`));
  });
  return h('div', {class: 'card'},
    h('p', {class: 'sentence'}, `${sentence[0].toUpperCase()}${sentence.slice(1)}`),
    h('p', {class: 'muted'}, rest.join(' ')),
    h('ul', {class: 'ganttlist'}, lines),
    batch.requests.length > 40 ? h('p', {class: 'muted'}, `and ${batch.requests.length - 40} more`) : null,
    h('p', {class: 'keys'}, h('span', {class: 'key c1'}, 'waits'), h('span', {class: 'key c0'}, batch.end === null ? 'is executed' : `is executed, ${time(batch.end - batch.at)}`)));
}

/** Says of an ensemble which models have a scheduler: those of its steps. */
function stepsPart(target) {
  const steps = h('p', {class: 'row'});
  json(`${modelPath(target.name, target.version)}/config`).then(config => {
    const names = new Set(config.ensemble_scheduling.step.map(step => step.model_name));
    const rows = [...names].map(each => feed.models.findLast(row => row.name === each && row.state === 'READY')).filter(Boolean);
    steps.replaceChildren(...rows.map(row => h('a', {href: modelHref(row, 'why')}, name(row.name))));
  }).catch(failed => { steps.textContent = failed.message; });
  return {element: h('div', {class: 'card'}, h('p', {}, 'An ensemble has no scheduler of its own: the models of its steps form batches.'), steps)};
}

/** The part of a model's page, or of the page that has chosen one. */
export function whyPart(target) {
  const scheduling = feed.models.find(row => row.name === target.name && row.version === target.version)?.scheduling;
  if (scheduling === 'ensemble') {
    return stepsPart(target);
  }
  const said = h('p', {class: 'muted', role: 'status'});
  const watchButton = h('button', {type: 'button', class: 'primary', onclick: watch}, 'Record for a minute');
  const sendButton = h('button', {type: 'button', onclick: send}, `Record, and send ${BURST} requests`);
  const list = h('ol', {class: 'batches', tabindex: '0', 'aria-label': 'Batches, the newest first'});
  const more = h('p', {class: 'muted', hidden: true}, `These are the last ${LISTED} batches.`);
  const detail = h('div');
  const reasons = h('div');
  const hint = scheduling !== 'no batching' ? null : h('p', {class: 'muted'}, 'This model’s configuration has no dynamic_batching: each request is a batch of its own.');
  const line = timeline(choose, next => { view = next; draw(); });
  const body = h('div', {hidden: true},
    h('div', {class: 'card'}, h('div', {class: 'row'}, h('h2', {}, 'Time line'),
      ...[['−', 2, 'Show more time'], ['+', 0.5, 'Show less time']].map(([label, factor, title]) =>
        h('button', {type: 'button', class: 'quiet', title, 'aria-label': title, onclick: () => zoom(factor)}, label)),
      h('button', {type: 'button', class: 'quiet', onclick: () => { view = null; chosen = null; draw(); }}, 'All'),
      h('span', {class: 'hint'}, 'Click a batch; drag to move.')), line.element),
    h('div', {class: 'whygrid'}, h('div', {class: 'card'}, h('h2', {}, 'Batches'), list, more), h('div', {class: 'stack'}, detail, reasons)));
  let current = story([]);
  let chosen = null;
  let view = null;
  let timer;
  let isClosed = false;
  let listed = '';
  let recent = [];
  let origin;

  function reason(batch) {
    return scheduling === 'no batching' ? scheduling : words(batch.reason);
  }

  function whole() {
    const pad = Math.max((current.end - current.start) * 0.02, 1e-4);
    return {from: current.start - pad, to: current.end + pad};
  }

  function zoom(factor) {
    const {from, to} = view ?? whole();
    const middle = chosen === null ? (from + to) / 2 : chosen.at;
    view = {from: middle - (middle - from) * factor, to: middle + (to - middle) * factor};
    draw();
  }

  function choose(batch) {
    chosen = current.batches.find(each => isSame(each, batch)) ?? batch;
    const first = Math.min(...batch.requests.map(request => request.at ?? batch.at), batch.at);
    const span = Math.max((batch.end ?? batch.at) - first, 1e-5);
    view = {from: first - span * 0.6, to: first + span * 1.6};
    draw();
  }

  function draw() {
    body.hidden = current.batches.length === 0 && current.refusals.length === 0;
    if (body.hidden) {
      return;
    }
    line.draw(current, view ?? whole(), chosen);
    more.hidden = current.batches.length <= LISTED;
    if (!list.matches(':hover') || recent.length === 0) { // else it would move under the pointer
      recent = current.batches.slice(-LISTED).reverse();
    }
    const text = `${recent.length} ${recent[0]?.at} ${recent[0]?.end} ${chosen?.at} ${chosen?.instance}`;
    if (text === listed) {
      return;
    }
    listed = text;
    list.replaceChildren(...recent.map(batch => h('li', {}, h('button', {type: 'button', 'aria-pressed': isSame(batch, chosen), onclick: () => choose(batch)},
      h('span', {class: 'num muted'}, `+${batch.at.toFixed(3)} s`),
      h('b', {}, `${batch.requests.length} ${batch.requests.length === 1 ? 'request' : 'requests'}`),
      h('span', {}, reason(batch)),
      h('span', {class: 'num muted'}, waited(batch) === null ? '' : `waited ${time(waited(batch))}`)))));
    detail.replaceChildren(chosen === null ? h('p', {class: 'card muted'}, 'Choose a batch: the scheduler says why it was formed then, and of these requests.') : details(chosen));
    const byReason = new Map();
    current.batches.forEach(batch => byReason.set(reason(batch), (byReason.get(reason(batch)) ?? 0) + 1));
    const requests = current.batches.reduce((all, batch) => all + batch.requests.length, 0);
    reasons.replaceChildren(h('div', {class: 'card'}, h('h2', {}, 'Reasons of all batches'),
      h('p', {class: 'muted'}, `${count(current.batches.length)} batches of ${count(requests)} requests, ${(current.batches.reduce((all, batch) => all + rows(batch), 0) / Math.max(1, current.batches.length)).toFixed(2)} rows in the mean; ${count(current.refusals.length)} refusals.`),
      bars([...byReason].sort((a, b) => b[1] - a[1]).map(([label, times]) => ({label, value: times, text: count(times)})))));
  }

  function show(answer) {
    const left = Math.ceil(answer.leftMillis / 1000);
    watchButton.disabled = left > 0;
    const many = current.batches.length;
    origin ??= answer.decisions[0]?.nanos;
    current = story(answer.decisions, origin);
    chosen = current.batches.find(batch => isSame(batch, chosen)) ?? chosen; // it may be older than what is kept
    if (chosen === null && view === null && many === 0 && current.batches.length > 0) {
      choose(largest(current.batches));
    }
    said.textContent = left > 0 ? `Recording, ${left} s left. ${current.batches.length === 0 ? 'No batch yet: send requests.' : ''}`
      : current.batches.length === 0 ? 'The server records nothing until you ask; then it keeps the last 4,096 decisions.' : 'The minute is over; this was recorded.';
    draw();
    return left;
  }

  async function read(method = 'GET') {
    clearTimeout(timer);
    let left = 0;
    try {
      left = show(await json(path(target), {method, ...(method === 'POST' ? {body: ''} : {})}));
    } catch (failed) {
      said.textContent = failed.message;
      left = failed instanceof ApiError && failed.status === 404 ? 0 : 1;
    }
    if (left > 0 && !isClosed && !document.hidden) {
      timer = setTimeout(read, 1000);
    }
  }

  async function watch() {
    chosen = null;
    view = null;
    origin = undefined;
    recent = [];
    current = story([]);
    await read('POST');
  }

  async function send() {
    sendButton.disabled = true;
    try {
      if (!watchButton.disabled) {
        await watch();
      }
      const known = current.batches.length;
      const failures = await burst(target);
      await read();
      const made = current.batches.slice(known);
      if (made.length > 0) {
        choose(largest(made));
      }
      if (failures.length > 0) {
        said.textContent = `${failures.length} of ${BURST} failed: ${failures[0]}`;
      }
    } catch (failed) {
      said.textContent = failed.message;
    }
    sendButton.disabled = false;
  }

  read();
  return {
    element: h('div', {class: 'stack'}, h('div', {class: 'row'}, watchButton, sendButton, said), hint, body),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** The page on which a model is chosen first. */
export function whyPage(target) {
  const chooser = h('select', {
    onchange: () => {
      const row = candidates()[chooser.selectedIndex - 1];
      location.hash = row ? `#/why/${encodeURIComponent(row.name)}/${encodeURIComponent(row.version)}` : '#/why';
    },
  });
  let shown = null;

  function candidates() {
    return feed.models.filter(row => row.state === 'READY' && row.scheduling !== 'ensemble');
  }

  function update() {
    const found = candidates();
    const text = JSON.stringify(found.map(row => [row.name, row.version]));
    if (text !== shown) {
      shown = text;
      chooser.replaceChildren(h('option', {}, 'Choose a model'), ...found.map(row =>
        h('option', {}, `${visible(row.name)} · version ${row.version} · ${row.scheduling}`)));
      chooser.selectedIndex = 1 + found.findIndex(row => row.name === target?.name && row.version === target?.version);
    }
    if (part === null && target !== null && feed.readings.length > 0) {
      const isKnown = feed.models.some(row => row.name === target.name && row.version === target.version && row.state === 'READY');
      part = isKnown ? whyPart(target)
        : {element: h('p', {class: 'reason bad', role: 'alert'}, `The server has no model '${visible(target.name)}' of version '${visible(target.version)}' that is ready.`)};
      body.replaceChildren(part.element);
    }
  }

  let part = null;
  const body = h('div');
  const stop = listen(update);
  update();
  return {
    title: 'Why',
    element: h('section', {class: 'stack'},
      h('div', {}, h('h1', {}, 'Why was this batch formed?'),
        h('p', {class: 'muted'}, 'The scheduler of a model says when it waited, and why it dispatched what it did.')),
      h('div', {class: 'row'}, field('Model', chooser)), body),
    close: () => {
      stop();
      part?.close?.();
    },
  };
}
