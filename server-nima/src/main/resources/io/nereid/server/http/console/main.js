/** The frame of all pages: which one is shown, whether the server is there, and its keys. */

import {ApiError, setKey} from './api.js';
import {field, h, name} from './dom.js';
import {feed, listen, readNow, start} from './feed.js';
import {livePage} from './live.js';
import {modelPage} from './model.js';
import {modelsPage} from './models.js';
import {requestsPage} from './requests.js';
import {serverPage} from './server.js';
import {whyPage} from './why.js';

const main = document.getElementById('main');
const notice = document.getElementById('notice');
const PAGES = [['models', 'Models'], ['live', 'Live'], ['requests', 'Requests'], ['why', 'Why'], ['server', 'Server']];

/** Ends what the page that is shown has begun. */
let leave = () => {};
let shown = '';

function page(parts) {
  switch (parts[0]) {
    case 'live': return livePage();
    case 'requests': return requestsPage();
    case 'why': return whyPage(parts[1] === undefined ? null : {name: parts[1], version: parts[2] ?? ''});
    case 'server': return serverPage();
    case 'model': return modelPage(parts[1] ?? '', parts[2] ?? '', parts[3] ?? 'try');
    default: return modelsPage();
  }
}

function show() {
  const hash = location.hash.replace(/^#\/?/, '');
  if (hash === shown && hash !== '') {
    return;
  }
  leave();
  shown = hash;
  const parts = hash.split('/').map(part => decodeURIComponent(part));
  document.getElementById('pages').replaceChildren(...PAGES.map(([id, label]) => {
    const isHere = parts[0] === id || (id === 'models' && ['', 'model'].includes(parts[0]));
    return h('a', {href: `#/${id}`, 'aria-current': isHere ? 'page' : null}, label);
  }));
  const {title, element, close} = page(parts);
  document.title = `${title} · Nereid console`;
  leave = close ?? (() => {});
  main.replaceChildren(element);
}

/** The form for the key that a restricted API wants. */
function keyForm(header) {
  const input = h('input', {type: 'password', autocomplete: 'off', required: true});
  return h('form', {
    class: 'row',
    onsubmit: event => {
      event.preventDefault();
      setKey(header, input.value);
      readNow();
    },
  }, h('p', {}, 'This server wants a key for its console.'), field(header, input), h('button', {class: 'primary'}, 'Use it'));
}

let asked = null;

function status() {
  const health = document.getElementById('health');
  const {failure} = feed;
  const [kind, text] =
    failure === null ? (feed.obstacle === '' ? ['good', 'ready'] : ['bad', 'not ready'])
    : failure.status === 0 ? ['bad', 'gone · reconnecting']
    : failure.isRefusal ? ['busy', 'refuses · trying again'] : ['bad', 'refused'];
  health.className = `pill ${kind}`;
  if (health.textContent !== text) {
    health.textContent = text;
  }
  health.title = feed.obstacle;
  if (feed.server !== null) {
    document.getElementById('server').replaceChildren(name(feed.server.name), ` ${feed.server.version}`);
  }
  document.body.classList.toggle('gone', failure?.status === 0); // then states are those of before
  say(failure);
}

function say(failure) {
  const header = failure instanceof ApiError ? failure.header : null;
  if (header !== null) {
    if (asked !== header || notice.hidden) { // else the form would lose what is being typed
      asked = header;
      notice.replaceChildren(keyForm(header));
    }
    notice.hidden = false;
    return;
  }
  asked = null;
  const text =
    failure === null ? (feed.obstacle === '' ? '' : `The server is not ready: ${feed.obstacle}`)
    : failure.status === 0 ? 'The server does not answer. What is shown is what it said last; the console goes on asking.'
    : failure.isRefusal ? `The server refuses requests now: ${failure.message}. The console asks again soon.`
    : `The server refused: ${failure.message}`;
  notice.hidden = text === '';
  if (notice.textContent !== text) {
    notice.replaceChildren(text);
  }
}

function themes() {
  const button = document.getElementById('theme');
  const order = ['system', 'light', 'dark'];
  let theme = localStorage.getItem('nereid.theme') ?? 'system';
  function apply() {
    document.documentElement.dataset.theme = theme;
    button.textContent = {system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark'}[theme];
  }
  button.addEventListener('click', () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    localStorage.setItem('nereid.theme', theme);
    apply();
  });
  apply();
}

themes();
listen(status);
window.addEventListener('hashchange', () => {
  show();
  main.focus({preventScroll: true});
  window.scrollTo(0, 0);
});
show();
start();
