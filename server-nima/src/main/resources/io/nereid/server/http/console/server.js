/** The page of the server: its health, as probes see it, its options, and the end of its log. */

import {json} from './api.js';
import {h, visible} from './dom.js';
import {feed, listen} from './feed.js';

const INTERVAL = 2000;
/** Lines that the page keeps: as many as the server. */
const KEPT = 500;

/** What Kubernetes asks, and what it gets. */
function healthPart() {
  const body = h('tbody');
  const element = h('div', {class: 'card'}, h('h2', {}, 'Health'),
    h('table', {}, h('thead', {}, h('tr', {}, ['Probe', 'Path', 'Answer', 'Reason'].map(label => h('th', {scope: 'col', class: label === 'Path' ? 'wide' : null}, label)))), body));
  let shown = '';

  function row(probe, path, isGood, reason) {
    return h('tr', {}, h('th', {scope: 'row'}, probe), h('td', {class: 'wide'}, h('code', {}, path)),
      h('td', {}, h('span', {class: `badge ${isGood ? 'good' : 'bad'}`}, isGood ? '200' : '400')), h('td', {class: 'text'}, reason));
  }

  function update() {
    const text = JSON.stringify([feed.server?.live, feed.obstacle]);
    if (feed.server === null || text === shown) {
      return;
    }
    shown = text;
    const {live} = feed.server;
    const isReady = feed.obstacle === '';
    body.replaceChildren(
      row('Live', '/v2/health/live', live, live ? 'The server was initialized.' : 'The server could not be initialized: a repository cannot be read. The log has the reason.'),
      row('Ready', '/v2/health/ready', isReady, isReady ? 'It accepts requests, and its models are as ready as --strict-readiness wants them.' : feed.obstacle));
  }

  const stop = listen(update);
  update();
  return {element, close: stop};
}

/** Buttons of which one is pressed: [[id, label]]. */
function choices(label, entries, chosen, choose) {
  const buttons = entries.map(([id, text]) => h('button', {type: 'button', 'aria-pressed': String(id === chosen), onclick: () => {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(entries[i][0] === id)));
    choose(id);
  }}, text));
  return h('div', {class: 'choices', role: 'group', 'aria-label': label}, buttons);
}

function optionsPart() {
  const body = h('tbody');
  const said = h('p', {class: 'muted', role: 'status'}, 'Reading the options…');
  const filter = h('input', {type: 'search', placeholder: 'Filter options', 'aria-label': 'Filter options', oninput: () => draw()});
  let options = [];
  let which = 'given';

  function line(option) {
    return h('tr', {},
      h('th', {scope: 'row'}, h('code', {}, option.name), h('p', {class: 'hint'}, option.help)),
      h('td', {}, option.values.length === 0 ? '–' : option.values.map(value => h('code', {class: 'value'}, visible(value)))),
      h('td', {class: 'muted'}, option.given ? 'command line' : 'default'));
  }

  function draw() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = options.filter(option => (which === 'all' || option.given)
      && words.every(word => `${option.topic} ${option.name} ${option.help} ${option.values}`.toLowerCase().includes(word)));
    const rows = found.flatMap((option, i) => [
      option.topic === found[i - 1]?.topic ? null : h('tr', {class: 'topic'}, h('th', {scope: 'rowgroup', colspan: '3'}, option.topic)),
      line(option)]);
    body.replaceChildren(...(found.length === 0 ? [h('tr', {}, h('td', {colspan: '3', class: 'muted'}, 'No option matches.'))] : rows.filter(row => row !== null)));
    said.textContent = `${found.length} of ${options.length} options. What may be a secret is shown as ***.`;
  }

  json('/console/data/options').then(read => {
    options = read;
    draw();
  }).catch(failed => { said.textContent = failed.message; });
  return h('div', {class: 'card'}, h('h2', {}, 'Options'),
    h('div', {class: 'bar'}, filter, choices('Which options', [['given', 'given'], ['all', 'all']], which, id => { which = id; draw(); }), said),
    h('table', {class: 'options'}, h('thead', {}, h('tr', {}, ['Option', 'Value', 'From'].map(label => h('th', {scope: 'col'}, label)))), body));
}

function logPart() {
  const list = h('ol', {class: 'log', tabindex: '0', 'aria-label': 'Lines of the log, the last one at the end'});
  const said = h('p', {class: 'muted'});
  const levels = {all: ['error', 'warning', 'info'], warnings: ['error', 'warning'], errors: ['error']};
  let shown = 'all';
  let lines = [];
  let server = null;
  let timer;
  let isClosed = false;

  function draw() {
    const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
    const found = lines.filter(line => levels[shown].includes(line.level));
    list.replaceChildren(...found.map(line => h('li', {class: line.level}, line.text.split('\n').map(text => visible(text.replaceAll('\t', '    '))).join('\n'))));
    said.textContent = lines.length === 0 ? 'No line: a program that embeds the server has the log itself.' : `${found.length} of the last ${lines.length} lines`;
    if (isAtEnd) {
      list.scrollTop = list.scrollHeight;
    }
  }

  async function read() {
    clearTimeout(timer);
    if (isClosed || document.hidden) {
      return;
    }
    if (feed.server !== server) { // another process: its lines are numbered anew
      server = feed.server;
      lines = [];
    }
    try {
      const more = await json(`/console/data/log/${lines.length === 0 ? 0 : lines.at(-1).number + 1}`);
      if (more.length > 0 || list.childElementCount === 0) {
        lines = [...lines, ...more].slice(-KEPT);
        draw();
      }
    } catch (failed) {
      said.textContent = failed.message;
    }
    timer = setTimeout(read, INTERVAL);
  }

  document.addEventListener('visibilitychange', read);
  read();
  return {
    element: h('div', {class: 'card'}, h('h2', {}, 'The end of the log'),
      h('div', {class: 'bar'}, choices('Which lines', [['all', 'all'], ['warnings', 'warnings and errors'], ['errors', 'errors']], shown, id => { shown = id; draw(); }), said),
      list),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', read);
    },
  };
}

export function serverPage() {
  const [health, log] = [healthPart(), logPart()];
  return {
    title: 'Server',
    element: h('section', {class: 'stack'}, h('h1', {class: 'sr'}, 'Server'), health.element, log.element, optionsPart()),
    close: () => {
      health.close();
      log.close();
    },
  };
}
