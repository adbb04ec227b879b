/** The graph of an ensemble, or of a model that calls others, with what each does now. */

import {keyOf, quantile} from './counts.js';
import {svg, visible} from './dom.js';
import {feed, lately, listen} from './feed.js';
import {rate, time} from './format.js';
import {modelHref} from './models.js';

const BOX = {width: 190, height: 64, right: 70, below: 26};

/** The steps of a configuration: {model, inputs, outputs}, tensors of the ensemble by their names. */
function steps(config) {
  const own = (config.ensemble_scheduling?.step ?? []).map(step => ({
    model: step.model_name,
    inputs: Object.values(step.input_map ?? {}),
    outputs: Object.values(step.output_map ?? {}),
  }));
  const calls = (config.parameters?.calls?.string_value ?? '').split(',').map(text => text.trim()).filter(Boolean);
  return own.length > 0 ? own : calls.map(model => ({model, inputs: [], outputs: []}));
}

/** The column of each step: one behind the last of those whose outputs it takes. */
function columns(all) {
  const column = new Map();
  const of = (step, path) => {
    if (!column.has(step) && !path.includes(step)) {
      const before = all.filter(other => other.outputs.some(output => step.inputs.includes(output)));
      column.set(step, 1 + Math.max(0, ...before.map(other => of(other, [...path, step]))));
    }
    return column.get(step) ?? 1;
  };
  all.forEach(step => of(step, []));
  return column;
}

/** The newest ready version of a model. */
function ready(model) {
  return feed.models.filter(row => row.name === model && row.state === 'READY').at(-1) ?? null;
}

function box(label, x, y, kind, detail) {
  const text = svg('text', {x: x + BOX.width / 2, y: y + 42, class: 'detail', 'text-anchor': 'middle'}, detail ?? '');
  const shown = visible(label);
  const short = shown.length > 24 ? `${shown.slice(0, 23)}…` : shown;
  return {
    text,
    element: svg('g', {class: `node ${kind}`}, svg('title', {}, shown),
      svg('rect', {x, y, width: BOX.width, height: BOX.height, rx: 10}),
      svg('text', {x: x + BOX.width / 2, y: y + (detail === undefined ? 38 : 25), class: 'title', 'text-anchor': 'middle'}, short), text),
  };
}

/** The graph; null for a model without steps. */
export function graph(config, target) {
  const all = steps(config);
  if (all.length === 0) {
    return null;
  }
  const isEnsemble = config.ensemble_scheduling !== undefined;
  const column = columns(all);
  const last = Math.max(...column.values()) + 1;
  const first = {model: null, label: 'request', outputs: config.input.map(input => input.name), inputs: []};
  const end = {model: null, label: 'response', inputs: config.output.map(output => output.name), outputs: []};
  column.set(first, 0);
  column.set(end, last);
  if (!isEnsemble) {
    first.label = target.name;
  }
  const nodes = isEnsemble ? [first, ...all, end] : [first, ...all];
  const rows = new Map();
  for (const node of nodes) {
    const inColumn = nodes.filter(other => column.get(other) === column.get(node));
    rows.set(node, inColumn.indexOf(node));
  }
  const height = Math.max(...nodes.map(node => rows.get(node) + 1)) * (BOX.height + BOX.below) - BOX.below + 8;
  const place = node => {
    const inColumn = nodes.filter(other => column.get(other) === column.get(node)).length;
    const free = height - 8 + BOX.below - inColumn * (BOX.height + BOX.below);
    return [4 + column.get(node) * (BOX.width + BOX.right), 4 + free / 2 + rows.get(node) * (BOX.height + BOX.below)];
  };
  const width = (isEnsemble ? last + 1 : 2) * (BOX.width + BOX.right) - BOX.right + 8;
  const picture = svg('svg', {viewBox: `0 0 ${width} ${height}`, class: 'graph', role: 'group', 'aria-label': `Steps of ${target.name}: ${all.map(step => step.model).join(', ')}`});
  for (const from of nodes) {
    for (const to of nodes) {
      const names = from.outputs.filter(output => to.inputs.includes(output));
      const isEdge = isEnsemble ? names.length > 0 : from === first && to !== first;
      if (isEdge) {
        const [[x1, y1], [x2, y2]] = [place(from), place(to)];
        const [a, b, c, d] = [x1 + BOX.width, y1 + BOX.height / 2, x2, y2 + BOX.height / 2];
        picture.append(svg('path', {d: `M${a} ${b}C${a + 40} ${b} ${c - 40} ${d} ${c - 7} ${d}`, class: 'edge'}),
          svg('path', {d: `M${c} ${d}l-8 -4v8z`, class: 'arrow'}, svg('title', {}, names.join(', '))));
      }
    }
  }
  const boxes = nodes.map(node => {
    const [x, y] = place(node);
    const made = box(node.model ?? node.label, x, y, node.model === null ? 'end' : 'step', node.model === null ? undefined : '');
    const row = node.model === null ? null : ready(node.model);
    picture.append(row === null ? made.element : svg('a', {href: modelHref(row, 'live')}, made.element));
    return {node, ...made};
  });

  function update() {
    const perDoubling = feed.readings.at(-1)?.bucketsPerDoubling ?? 1;
    for (const {node, text} of boxes) {
      if (node.model !== null) {
        const row = ready(node.model);
        const done = row === null ? null : lately(keyOf(row));
        text.textContent = row === null ? 'not ready' : done === null ? 'measuring…'
          : `${rate(done.success / done.seconds)}/s · p99 ${time(quantile(done.phases.request, 0.99, perDoubling))}`;
      }
    }
  }

  const stop = listen(update);
  update();
  return {element: picture, close: stop};
}
