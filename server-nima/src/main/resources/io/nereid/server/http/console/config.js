/** The configuration of a model: where each value came from, what lint finds, and the graph of steps. */

import {json, modelPath} from './api.js';
import {copyButton, h} from './dom.js';
import {graph} from './graph.js';
import {values} from './origins.js';

function text(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function within(field, found) {
  return found.map(({path, value, line}) => h('tr', {},
    h('td', {}, h('code', {}, path.slice(field.length).replace(/^\./, ''))), h('td', {}, h('code', {}, text(value))), h('td', {class: 'muted'}, line ?? 'the server')));
}

/** A setting at the top of a configuration: its value, or those within it, each with its place in the file. */
function setting(field, found, lines) {
  const label = h('th', {scope: 'row'}, field);
  if (found.length === 1 && found[0].path === field) {
    return h('tr', {}, label, h('td', {}, h('code', {}, text(found[0].value))), h('td', {class: 'muted'}, found[0].line ?? 'the server'));
  }
  const stated = found.filter(({line}) => line !== null).length;
  const summary = `${found.length} ${found.length === 1 ? 'value' : 'values'}, ${stated === 0 ? 'none' : stated} stated in the file`;
  return h('tr', {}, label,
    h('td', {}, h('details', {open: found.length <= 8}, h('summary', {}, summary), h('table', {class: 'within'}, h('tbody', {}, within(field, found))))),
    h('td', {class: 'muted'}, lines[field] ?? 'the server'));
}

function settings(config, lines) {
  const rows = Object.entries(config).map(([field, value]) => [field, values(field, value, lines)]).filter(([, found]) => found.length > 0);
  return h('table', {class: 'settings'}, h('thead', {}, h('tr', {}, ['Setting', 'Value', 'From'].map(label => h('th', {scope: 'col'}, label)))),
    h('tbody', {}, rows.map(([field, found]) => setting(field, found, lines))));
}

function findings(found) {
  return h('div', {class: 'card'}, h('h2', {}, 'What lint finds in the file'),
    found.length === 0 ? h('p', {class: 'muted'}, 'Nothing.')
      : h('ul', {class: 'findings'}, found.map(finding => h('li', {},
        h('span', {class: `badge ${finding.severity === 'error' ? 'bad' : 'busy'}`}, finding.severity),
        ' ', h('b', {}, [finding.file, finding.position].filter(Boolean).join(':')), ' ', h('bdi', {}, finding.message),
        finding.line === '' ? null : h('pre', {class: 'code'}, finding.line)))));
}

export function configPart(target, isReady) {
  const element = h('div', {class: 'stack'}, h('p', {class: 'muted'}, 'Reading the configuration…'));
  let close = () => {};
  const source = json(`/console/data/configuration/${encodeURIComponent(target.name)}`)
    .catch(failed => ({lines: {}, findings: null, failure: failed.message}));
  const completed = isReady ? json(`${modelPath(target.name, target.version)}/config`).catch(failed => ({failure: failed.message})) : null;
  Promise.all([source, completed]).then(([file, config]) => {
    const isKnown = config !== null && config.failure === undefined;
    const drawn = isKnown ? graph(config, target) : null;
    const whole = isKnown ? JSON.stringify(config, null, 2) : '';
    close = drawn?.close ?? close;
    element.replaceChildren(...[
      drawn === null ? null : h('div', {class: 'card'}, h('h2', {}, 'Steps'), drawn.element),
      file.findings === null ? h('p', {class: 'muted'}, file.failure) : findings(file.findings),
      isKnown ? h('div', {class: 'card'},
        h('div', {class: 'row'}, h('h2', {}, 'Configuration, as the server completed it'), copyButton(() => whole)),
        settings(config, file.lines))
        : h('p', {class: 'muted'}, config?.failure ?? 'The model is not ready: its completed configuration is not known.'),
    ].filter(Boolean));
  });
  return {element, close: () => close()};
}
