/** The configuration of a model: where each value came from, what lint finds, and the graph of steps. */

import {json, modelPath} from './api.js';
import {jsonText} from './answers.js';
import {copyButton, h} from './dom.js';
import {graph} from './graph.js';

/** Whether a value says nothing: that of a field that is not set. */
function isEmpty(value) {
  return value === '' || value === 0 || value === false || value === null
    || (Array.isArray(value) && value.length === 0)
    || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** The settings at the top of a configuration, each with its place in the file. */
function settings(config, lines) {
  const rows = Object.entries(config).filter(([field, value]) => field in lines || !isEmpty(value));
  return h('table', {class: 'settings'}, h('thead', {}, h('tr', {}, ['Setting', 'Value', 'From'].map(label => h('th', {scope: 'col'}, label)))),
    h('tbody', {}, rows.map(([field, value]) => {
      const line = typeof value === 'object' ? JSON.stringify(value) : String(value);
      const text = line.length <= 100 ? line : jsonText(value);
      const isLong = text.length > 120;
      return h('tr', {}, h('th', {scope: 'row'}, field),
        h('td', {}, isLong ? h('details', {}, h('summary', {}, Array.isArray(value) ? `${value.length} ${value.length === 1 ? 'entry' : 'entries'}` : 'show'), h('pre', {}, text)) : h('code', {}, text)),
        h('td', {class: 'muted'}, field in lines ? `file, line ${lines[field]}` : 'the server'));
    })));
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
    const text = isKnown ? JSON.stringify(config, null, 2) : '';
    close = drawn?.close ?? close;
    element.replaceChildren(...[
      drawn === null ? null : h('div', {class: 'card'}, h('h2', {}, 'Steps'), drawn.element),
      file.findings === null ? h('p', {class: 'muted'}, file.failure) : findings(file.findings),
      isKnown ? h('div', {class: 'card'},
        h('div', {class: 'row'}, h('h2', {}, 'Configuration, as the server completed it'), copyButton(() => text)),
        settings(config, file.lines))
        : h('p', {class: 'muted'}, config?.failure ?? 'The model is not ready: its completed configuration is not known.'),
    ].filter(Boolean));
  });
  return {element, close: () => close()};
}
