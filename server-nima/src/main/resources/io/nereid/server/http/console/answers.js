/** Answers: each output as what it most likely is, and all of it as JSON. */

import {bars} from './chart.js';
import {h, name} from './dom.js';
import {number} from './format.js';
import {isText} from './tensors.js';

/** Bars that are shown of many classes. */
const SHOWN = 10;
/** Elements that are shown of a long tensor, and rows. */
const LIST = 64;
const ROWS = 16;

/** The entries of the classification extension, "value:index[:label]"; null if a text is none. */
function classes(data) {
  const entries = data.map(text => /^(-?[\d.eE+-]+|nan|inf):(\d+)(?::([\s\S]*))?$/.exec(String(text)));
  return entries.length > 1 && entries.every(Boolean)
    ? entries.map(([, value, index, label]) => ({label: label ?? `class ${index}`, value: Number(value)})) : null;
}

/** Whether values are shares of a whole. */
function areShares(values) {
  return values.every(value => value >= -1e-6) && Math.abs(values.reduce((all, value) => all + value, 0) - 1) < 1e-2;
}

/** A bar for each element of a short vector, which may be anything. */
function elementBars(values) {
  const least = Math.min(0, ...values);
  return bars(values.map((value, i) => ({label: `[${i}]`, value: value - least, text: number(value)})));
}

function classBars(entries) {
  const best = [...entries].sort((a, b) => b.value - a.value);
  const isShare = entries.every(entry => entry.value >= -1e-6 && entry.value <= 1 + 1e-6);
  const least = Math.min(0, ...best.map(entry => entry.value));
  return h('div', {},
    h('p', {class: 'verdict'}, h('bdi', {}, best[0].label), h('span', {class: 'muted'}, isShare ? ` ${(100 * best[0].value).toFixed(1)} %` : ` ${number(best[0].value)}`)),
    bars(best.slice(0, SHOWN).map((entry, i) => ({
      label: entry.label, value: entry.value - least, kind: i === 0 ? 'best' : '',
      text: isShare ? `${(100 * entry.value).toFixed(1)} %` : number(entry.value),
    })), isShare ? 1 : undefined));
}

/** The sizes of an output that is a picture of bytes; null if it is none. */
function pictureOf({shape, datatype}) {
  const dims = shape.length > 2 && shape[0] === 1 && shape.length === 4 ? shape.slice(1) : shape;
  if (datatype !== 'UINT8') {
    return null;
  }
  if (dims.length === 2 && Math.min(...dims) >= 8) {
    return {height: dims[0], width: dims[1], channels: 1, at: i => i};
  }
  if (dims.length === 3 && [1, 3].includes(dims[0]) && Math.min(dims[1], dims[2]) >= 8) {
    return {height: dims[1], width: dims[2], channels: dims[0], at: (i, channel, size) => channel * size + i};
  }
  return dims.length === 3 && [1, 3].includes(dims[2]) && Math.min(dims[0], dims[1]) >= 8
    ? {height: dims[0], width: dims[1], channels: dims[2], at: (i, channel) => i * dims[2] + channel} : null;
}

function canvasOf(data, {height, width, channels, at}) {
  const canvas = h('canvas', {class: 'preview large', role: 'img', 'aria-label': `picture of ${width} by ${height} pixels`});
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  const picture = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const value = channel => data[at(i, channels === 1 ? 0 : channel, width * height)];
    picture.data.set([value(0), value(1), value(2), 255], 4 * i);
  }
  context.putImageData(picture, 0, 0);
  return canvas;
}

function cosine(a, b) {
  let [dot, left, right] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    left += a[i] * a[i];
    right += b[i] * b[i];
  }
  return dot / Math.sqrt(left * right);
}

/** Vectors: of several rows the cosines to the first, of one that to the answer before. */
function vectors(rows, before) {
  const others = rows.length > 1 ? rows.slice(1).map((row, i) => ({label: `row ${i + 2} with row 1`, value: cosine(rows[0], row)}))
    : before && before.length === rows[0].length ? [{label: 'with the answer before', value: cosine(rows[0], before)}] : [];
  return others.length === 0 ? null : h('div', {}, h('p', {class: 'muted'}, 'Cosine'),
    bars(others.map(other => ({label: other.label, value: Math.max(0, other.value), text: other.value.toFixed(4)}))));
}

/** The elements, a row of the tensor in each line. */
function list(rows, size) {
  const shown = rows.slice(0, Math.max(1, Math.floor(LIST / rows[0].length))).map(row => row.slice(0, LIST));
  const left = size - shown.flat().length;
  return h('pre', {class: 'values'}, shown.map(row => row.map(number).join('  ')).join('\n'), left > 0 ? `  … ${left} more` : '');
}

/** Each row's element, with its number if there are several. */
function byRow(rows, element) {
  return rows.length === 1 ? element(rows[0]) : h('div', {}, rows.map((row, i) => h('div', {class: 'ofrow'}, h('h4', {}, `Row ${i + 1}`), element(row))));
}

function shown(output, before) {
  const {data, shape} = output;
  if (!Array.isArray(data)) {
    return h('p', {class: 'muted'}, 'no data');
  }
  const width = Math.max(1, shape.at(-1) ?? 1);
  const rows = [];
  for (let i = 0; i < data.length && rows.length < ROWS; i += width) {
    rows.push(data.slice(i, i + width));
  }
  const entries = isText(output.datatype) ? rows.map(classes) : [];
  if (entries.length > 0 && entries.every(row => row !== null)) {
    return byRow(entries, classBars);
  }
  if (isText(output.datatype)) {
    return h('div', {}, data.slice(0, LIST).map(text => h('blockquote', {dir: 'auto'}, String(text))));
  }
  const picture = pictureOf(output);
  if (picture !== null) {
    return canvasOf(data, picture);
  }
  if (/^(FP|BF)/.test(output.datatype) && width >= 2 && width <= (rows.length === 1 || rows.every(areShares) ? LIST : 16) && data.length <= ROWS * width) {
    return byRow(rows, row => (areShares(row) ? classBars(row.map((value, i) => ({label: `class ${i}`, value}))) : elementBars(row)));
  }
  const ofVectors = /^(FP|BF)/.test(output.datatype) && width > 16 ? vectors(rows, before) : null;
  return h('div', {}, ofVectors, rows.length === 0 ? null : list(rows, data.length));
}

/** The element of an output; before is the data of the same output of the answer before, if any. */
export function outputView(output, before) {
  return h('section', {class: 'output'},
    h('h3', {}, name(output.name), h('span', {class: 'muted'}, ` ${output.datatype} [${(output.shape ?? []).join(', ')}]`)),
    shown(output, before));
}

/** JSON for people: arrays of values in a line, and long ones cut. */
export function jsonText(answer) {
  const cut = JSON.stringify(answer, (key, value) => (Array.isArray(value) && value.length > 256 ? [...value.slice(0, 256), `… ${value.length - 256} more`] : value), 2);
  return cut.replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner) => `[${inner.replace(/\s*\n\s*/g, ' ')}]`);
}
