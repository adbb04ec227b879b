/** Charts in SVG: lines over time, and bars. Colours are classes of the style sheet. */

import {h, svg} from './dom.js';

const WIDTH = 420;
const HEIGHT = 180;
const LEFT = 50;
const BOTTOM = 20;
const TOP = 8;
/** Seconds that a chart shows: the first that all points fit into. */
const SPANS = [60, 120, 300];

/** A round number at least as large. */
function ceiling(value) {
  if (!(value > 0)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map(step => step * power).find(step => step >= value * 0.999);
}

/** A linear scale from 0: {of: value to 0..1, ticks}. */
function linear(values) {
  const top = ceiling(Math.max(0, ...values));
  return {of: value => value / top, ticks: [0, top / 2, top]};
}

/** A logarithmic scale over whole powers of ten. */
function logarithmic(values) {
  const known = values.filter(value => value > 0);
  const low = Math.floor(Math.log10(Math.min(1e-3, ...known)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(1e-3, ...known)) - 1e-9));
  return {
    of: value => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low),
    ticks: Array.from({length: high - low + 1}, (_, i) => 10 ** (low + i)),
  };
}

function path(points, x, y, field) {
  let text = '';
  let isDown = false;
  for (const point of points) {
    const value = point[field];
    if (value === null || value === undefined || Number.isNaN(value)) {
      isDown = false;
    } else {
      text += `${isDown ? 'L' : 'M'}${x(point.age).toFixed(1)} ${y(value).toFixed(1)}`;
      isDown = true;
    }
  }
  return text;
}

/**
 * A chart of lines: fields is [[field, label, class]], format makes a text of a value. Returns the
 * element, and draw(points), whose points have an age in seconds and the fields.
 */
export function lineChart(title, fields, format, isLogarithmic = false) {
  const picture = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', class: 'chart'});
  const values = fields.map(([, label, kind]) => {
    const value = h('b');
    return {value, element: h('span', {class: `key ${kind}`}, label, ' ', value)};
  });
  const element = h('figure', {class: 'card'},
    h('figcaption', {}, h('span', {}, title), h('span', {class: 'keys'}, values.map(each => each.element))), picture);
  let points = [];
  let span = SPANS[0];
  let at = null;

  function draw(now) {
    span = SPANS.find(each => each >= (now[0]?.age ?? 0)) ?? SPANS.at(-1);
    points = now.filter(point => point.age <= span);
    const scale = (isLogarithmic ? logarithmic : linear)(points.flatMap(point => fields.map(([field]) => point[field] ?? 0)));
    const x = age => LEFT + (WIDTH - LEFT - 6) * (1 - age / span);
    const y = value => TOP + (HEIGHT - TOP - BOTTOM) * (1 - scale.of(value));
    const grid = scale.ticks.map(value => svg('g', {},
      svg('line', {x1: LEFT, x2: WIDTH - 6, y1: y(value), y2: y(value), class: 'grid'}),
      svg('text', {x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end'}, format(value))));
    const ages = [1, 0.5, 0].map(share => svg('text', {x: x(share * span), y: HEIGHT - 4, 'text-anchor': ['end', 'middle', 'start'][share * 2]},
      share === 0 ? 'now' : `−${share * span} s`));
    const lines = fields.map(([field, , kind]) => svg('path', {d: path(points, x, y, field), class: `line ${kind}`}));
    const chosen = at === null ? points.at(-1) : points.reduce((best, point) => (Math.abs(point.age - at) < Math.abs(best.age - at) ? point : best), points[0]);
    const mark = at === null || !chosen ? [] : [svg('line', {x1: x(chosen.age), x2: x(chosen.age), y1: TOP, y2: HEIGHT - BOTTOM, class: 'mark'})];
    picture.replaceChildren(...grid, ...ages, ...lines, ...mark);
    fields.forEach(([field], i) => { values[i].value.textContent = chosen ? format(chosen[field]) : '–'; });
    picture.setAttribute('aria-label', `${title}: ${fields.map(([field, label]) => `${label} ${chosen ? format(chosen[field]) : 'unknown'}`).join(', ')}`);
  }

  picture.addEventListener('pointermove', event => {
    const box = picture.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - 6);
    at = Math.min(span, Math.max(0, (1 - place) * span));
    draw(points);
  });
  picture.addEventListener('pointerleave', () => {
    at = null;
    draw(points);
  });
  draw([]);
  return {element, draw};
}

/** A list of bars: [{label, value, text, kind}]; one of the value most is as wide as there is room. */
export function bars(entries, most = Math.max(...entries.map(entry => entry.value), 1e-12)) {
  return h('ul', {class: 'bars'}, entries.map(entry => h('li', {class: entry.kind ?? ''},
    h('span', {class: 'barlabel'}, h('bdi', {}, entry.label)),
    svg('svg', {class: 'barpicture', viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
      svg('rect', {x: 0, y: 0, width: 100, height: 10, class: 'track'}),
      svg('rect', {x: 0, y: 0, width: Math.max(0, entry.value / most * 100).toFixed(2), height: 10, class: 'fill'})),
    h('span', {class: 'bartext'}, entry.text))));
}
