/** Rates, latencies by phase, batch sizes, failures and refusals: of the server, or of a model. */

import {bars, lineChart} from './chart.js';
import {PHASES, durations, keyOf, mean, quantile, total} from './counts.js';
import {h, name} from './dom.js';
import {feed, history, lately, listen} from './feed.js';
import {count, rate, time, words} from './format.js';
import {modelHref} from './models.js';

function phaseTable(done, perDoubling) {
  const rows = [...PHASES, ['request', 'request']].map(([id, label]) => {
    const counts = done.phases[id];
    return h('tr', {class: id === 'request' ? 'total' : ''},
      h('th', {scope: 'row'}, label),
      ...[0.5, 0.95, 0.99].map(share => h('td', {class: 'num'}, time(quantile(counts, share, perDoubling)))),
      h('td', {class: 'num'}, time(mean(counts))));
  });
  return h('table', {}, h('thead', {}, h('tr', {}, ['Phase', 'p50', 'p95', 'p99', 'mean'].map((label, i) =>
    h('th', {scope: 'col', class: i > 0 ? 'num' : ''}, label)))), h('tbody', {}, rows));
}

/** The share of each phase in the mean of a request, as one bar. */
function phaseShares(done) {
  const parts = PHASES.map(([id, label]) => ({label, kind: `phase ${label}`, value: done.phases[id]?.nanos ?? 0}));
  const all = parts.reduce((sum, part) => sum + part.value, 0);
  return all === 0 ? null : bars(parts.map(part => ({...part, text: `${(100 * part.value / all).toFixed(0)} %`})));
}

function batchBars(done) {
  if (done.batches.length === 0) {
    return h('p', {class: 'muted'}, 'No batch in the last ten seconds.');
  }
  const most = [...done.batches].sort((a, b) => b[1] - a[1]).slice(0, 12).sort((a, b) => a[0] - b[0]);
  const batches = total(Object.fromEntries(done.batches));
  const meanSize = done.executions > 0 ? (done.inferences / done.executions).toFixed(2) : '–';
  return h('div', {},
    h('p', {class: 'muted'}, `${rate(batches / done.seconds)} batches/s, ${meanSize} rows in the mean`),
    bars(most.map(([size, times]) => ({label: `${size} ${size === 1 ? 'row' : 'rows'}`, value: times, text: `${(100 * times / batches).toFixed(0)} %`}))));
}

function reasons(title, counts, seconds, note) {
  const entries = Object.entries(counts);
  return h('div', {class: 'card'}, h('h2', {}, title),
    note,
    entries.length === 0 ? h('p', {class: 'muted'}, 'None in the last ten seconds.')
      : bars(entries.map(([reason, times]) => ({label: words(reason), value: times, text: `${rate(times / seconds)}/s`, kind: 'bad'}))));
}

function busiest() {
  const latest = feed.readings.at(-1);
  const rows = (latest?.models ?? []).filter(model => (model.success ?? 0) > 0)
    .map(model => ({model, done: lately(keyOf(model))})).filter(row => row.done !== null && durations(row.done.phases.request) > 0)
    .sort((a, b) => b.done.success - a.done.success).slice(0, 8);
  return h('div', {class: 'card'}, h('h2', {}, 'Busiest models'),
    rows.length === 0 ? h('p', {class: 'muted'}, 'No request in the last ten seconds.')
      : h('table', {}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Model'), h('th', {scope: 'col', class: 'num'}, 'Requests/s'), h('th', {scope: 'col', class: 'num'}, 'p99'))),
        h('tbody', {}, rows.map(({model, done}) => h('tr', {},
          h('th', {scope: 'row'}, h('a', {href: modelHref(model, 'live')}, name(model.name)), ` ${model.version}`),
          h('td', {class: 'num'}, rate(done.success / done.seconds)),
          h('td', {class: 'num'}, time(quantile(done.phases.request, 0.99, latest.bucketsPerDoubling))))))));
}

/** The charts and tables of a model by its key, or of all models for null. */
export function livePart(key) {
  const requests = lineChart('Requests per second', [['rate', 'answered', 'c0'], ['failed', 'failed or refused', 'c3']], value => rate(value ?? 0));
  const latency = lineChart('Latency of requests', [['p50', 'p50', 'c0'], ['p95', 'p95', 'c1'], ['p99', 'p99', 'c2']], value => (value === 0 ? '0' : time(value)), true);
  const waiting = lineChart('Requests that wait', [['pending', 'waiting', 'c1']], value => (Number.isInteger(value ?? 0) ? count(value ?? 0) : ''));
  const details = h('div', {class: 'cards'});

  function update() {
    const points = history(key).filter(point => point.rate !== undefined);
    requests.draw(points);
    latency.draw(points);
    waiting.draw(points);
    const done = lately(key);
    if (done === null) {
      details.replaceChildren(h('p', {class: 'muted'}, feed.readings.length < 2 ? 'Measuring…' : 'The model is not loaded.'));
      return;
    }
    if (details.contains(document.activeElement)) {
      return; // else the keyboard's focus would be lost
    }
    const perDoubling = feed.readings.at(-1).bucketsPerDoubling;
    details.replaceChildren(
      h('div', {class: 'card'}, h('h2', {}, 'Where the time goes'), phaseTable(done, perDoubling), phaseShares(done)),
      h('div', {class: 'stack'},
        h('div', {class: 'card'}, h('h2', {}, 'Batch sizes'), batchBars(done)),
        ...(key === null ? [busiest()] : [])),
      h('div', {class: 'stack'},
        reasons('Failures of accepted requests', done.failures, done.seconds,
          h('p', {class: 'muted'}, 'A request whose inputs are wrong is refused before it counts here: ', h('a', {href: '#/requests'}, 'Requests'), ' has it.')),
        reasons('Refusals', done.refusals, done.seconds)));
  }

  const stop = listen(update);
  update();
  return {
    element: h('div', {},
      h('div', {class: 'cards charts'}, requests.element, latency.element, waiting.element),
      h('p', {class: 'muted'}, 'Of the last ten seconds, from differences of the server’s counts:'),
      details),
    close: stop,
  };
}

export function livePage() {
  const {element, close} = livePart(null);
  return {
    title: 'Live',
    element: h('section', {}, h('h1', {}, 'All models'), element),
    close,
  };
}
