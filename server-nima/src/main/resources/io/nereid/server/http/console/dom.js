/**
 * Elements. What comes from the server is only ever a text node or a checked attribute here, never
 * markup: the name of a model may be anything.
 */

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'value' || name === 'checked' || name === 'hidden' || name === 'disabled') {
      element[name] = value;
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return element;
}

/** Makes an element of HTML: h('p', {class: 'x', onclick: f}, 'text', child). */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an element of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Characters that change how others are shown, or are not shown: controls, and those of directions. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A name that somebody else has chosen, so that no two look the same: what cannot be seen is escaped. */
export function visible(text) {
  return text.replace(UNSEEN, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The element of such a name: its direction does not change that of what is around it. */
export function name(text) {
  return h('bdi', {class: 'name'}, visible(text));
}

/** Replaces the text of an element if it differs, so that what is read aloud is what has changed. */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** A badge for the state of a model. */
export function badge(state) {
  const kind = {READY: 'good', LOADING: 'busy', UNLOADING: 'busy', UNAVAILABLE: 'bad'}[state];
  return h('span', {class: `badge ${kind ?? 'none'}`}, state.toLowerCase());
}

/** A button that copies what a function returns. */
export function copyButton(text) {
  const button = h('button', {type: 'button', class: 'quiet copy'}, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select it and copy'; // without TLS there is no clipboard
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  return button;
}

/** A labelled control; the label is beside or above it, as the style has it. */
export function field(label, control, hint) {
  const children = [h('span', {class: 'label'}, label), control];
  return h('label', {class: 'field'}, ...children, hint ? h('span', {class: 'hint'}, hint) : null);
}

/** Tabs of which one is shown: [{id, label, content}], where content makes its element once. */
export function tabs(label, entries, chosen) {
  const body = h('div', {class: 'tabbody'});
  const made = new Map();
  const buttons = entries.map(entry =>
    h('button', {type: 'button', onclick: () => show(entry)}, entry.label));
  function show(entry) {
    if (!made.has(entry.id)) {
      made.set(entry.id, entry.content());
    }
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', entries[i] === entry));
    body.replaceChildren(made.get(entry.id));
  }
  show(entries.find(entry => entry.id === chosen) ?? entries[0]);
  return h('div', {class: 'tabs'}, h('div', {class: 'choices', role: 'group', 'aria-label': label}, buttons), body);
}
