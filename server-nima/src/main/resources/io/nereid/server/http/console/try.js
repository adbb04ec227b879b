/** Trying a model: a form made of its metadata, its answer, and the request as a program sends it. */

import {events, json, keyHeaders, modelPath} from './api.js';
import {jsonText, outputView} from './answers.js';
import {bars} from './chart.js';
import {PHASES, between, durations, keyOf, reading} from './counts.js';
import {copyButton, field, h, tabs} from './dom.js';
import {time} from './format.js';
import {inputForm} from './inputs.js';
import {curl, isLong, java, python} from './snippets.js';

/** Classes that are asked for of an output with labels. */
const CLASSES = 10;
/** Events of a stream that stay on the page. */
const EVENTS = 500;

/** The outputs to ask for: classes with their labels where there are labels, else all as they are. */
function outputs(metadata, config) {
  const labelled = new Map((config.output ?? []).map(output => [output.name, output.label_filename ?? '']));
  if (![...labelled.values()].some(file => file !== '')) {
    return undefined;
  }
  return metadata.outputs.map(output => ({
    name: output.name,
    ...(labelled.get(output.name) ? {parameters: {classification: CLASSES}} : {}),
  }));
}

async function counts(target) {
  const all = reading(await json('/console/data/live'));
  return {all, model: all.byKey.get(keyOf(target))};
}

/** The phases of one request, and the rest of it: what the counts have grown by, if no other request was counted. */
function phases(before, after, rest) {
  if (!after.model) {
    return null;
  }
  const done = between(after.model, before.model, (after.all.nanos - before.all.nanos) / 1e9);
  if (done.success !== 1 || durations(done.phases.request) !== 1) {
    return null;
  }
  const known = PHASES.filter(([id]) => durations(done.phases[id]) === 1).map(([id, label]) => ({label, nanos: done.phases[id].nanos}));
  const left = done.phases.request.nanos - known.reduce((all, {nanos}) => all + nanos, 0);
  const parts = [...known, {label: rest, nanos: left}].filter(({nanos}) => nanos > 0);
  return h('div', {}, h('p', {class: 'muted'}, `In the server ${time(done.phases.request.nanos / 1e9)}, of which:`),
    bars(parts.map(({label, nanos}) => ({label, kind: `phase ${label}`, value: nanos, text: time(nanos / 1e9)}))));
}

export function tryPart(target) {
  const element = h('div', {class: 'try'}, h('p', {class: 'muted'}, 'Reading the model’s metadata…'));
  const path = modelPath(target.name, target.version);
  const ended = new AbortController();
  Promise.all([json(path), json(`${path}/config`).catch(() => ({}))])
    .then(([metadata, config]) => element.replaceChildren(...form(target, path, metadata, config, ended.signal)))
    .catch(failed => element.replaceChildren(h('p', {class: 'reason bad'}, failed.message)));
  return {element, close: () => ended.abort()};
}

function form(target, path, metadata, config, leaving) {
  const batches = (config.max_batch_size ?? 0) > 0;
  const isStream = config.model_transaction_policy?.decoupled === true;
  const answer = h('div', {class: 'answer', 'aria-live': 'polite'});
  const refused = h('p', {class: 'reason bad', role: 'alert', hidden: true});
  const id = h('input', {type: 'text', maxlength: '128', oninput: () => changed()});
  const code = h('div');
  const live = h('input', {type: 'checkbox', checked: true});
  const liveLabel = h('label', {class: 'check'}, live, ' send at once');
  let pending = 0;
  const inputs = metadata.inputs.map(spec => inputForm(spec, batches, changed));
  const sendButton = h('button', {class: 'primary'}, isStream ? 'Send, and read the stream' : 'Send');
  let last = new Map();
  let running = null;
  let again = false;

  function request() {
    const read = inputs.map(input => input.read());
    if (!isStream) {
      return {
        url: `${path}/infer`,
        body: {...(id.value === '' ? {} : {id: id.value}), inputs: read, outputs: outputs(metadata, config)},
      };
    }
    const body = id.value === '' ? {} : {id: id.value};
    read.forEach(input => { body[input.name] = input.data.length === 1 ? input.data[0] : input.data; });
    return {url: `${path}/generate_stream`, body};
  }

  /** What was answered to another input would be read as the answer to this one. */
  function forget() {
    running?.abort();
    answer.replaceChildren(h('p', {class: 'muted'}, 'The answer will be here.'));
    last = new Map();
  }

  function showCode() {
    liveLabel.hidden = !inputs.some(input => input.isPicture());
    let made;
    try {
      made = request();
    } catch (wrong) {
      again = false;
      forget();
      code.replaceChildren(h('p', {class: 'muted'}, `There is no request yet: ${wrong.message}.`));
      return;
    }
    refused.hidden = true;
    const url = location.origin + made.url;
    const body = JSON.stringify(made.body);
    const entries = [['curl', curl], ['Python', python], ['Java', java]].map(([label, write]) => ({
      id: label, label,
      content: () => {
        const text = write(url, body, keyHeaders());
        return h('div', {class: 'code'}, copyButton(() => text), h('pre', {tabindex: '0'}, text));
      },
    }));
    const file = isLong(body) ? h('p', {class: 'row'}, h('span', {class: 'muted'}, 'The body is long; the programs read it from request.json.'), copyButton(() => body)) : null;
    const pressed = code.querySelector('[aria-pressed=true]')?.textContent;
    code.replaceChildren(tabs('Language', entries, pressed), ...(file ? [file] : []));
  }

  function changed(cause) {
    clearTimeout(pending);
    pending = setTimeout(() => {
      showCode();
      if (cause === 'stroke' && live.checked && inputs.every(input => !input.isEmpty())) {
        submit();
      }
    }, cause === 'stroke' ? 0 : 150);
  }

  async function submit() {
    if (running !== null) {
      again = true;
      return;
    }
    let made;
    try {
      made = request();
    } catch (wrong) {
      showCode();
      refused.textContent = wrong.message;
      refused.hidden = false;
      return;
    }
    refused.hidden = true;
    running = new AbortController();
    leaving.addEventListener('abort', () => running?.abort(), {once: true});
    try {
      await (isStream ? readStream(made, running.signal) : infer(made, running.signal));
    } catch (failed) {
      if (failed.name !== 'AbortError') {
        if (!isStream) {
          forget();
        }
        const wait = failed.retryAfter ? ` Try again in ${failed.retryAfter} s.` : '';
        refused.textContent = `${failed.status ? `HTTP ${failed.status}: ` : ''}${failed.message}${wait}`;
        refused.hidden = false;
      }
    } finally {
      running = null;
    }
    if (again) {
      again = false;
      submit();
    }
  }

  async function infer(made, signal) {
    const before = await counts(target).catch(() => null);
    const start = performance.now();
    const response = await json(made.url, {method: 'POST', body: JSON.stringify(made.body), signal});
    const seconds = (performance.now() - start) / 1000;
    const after = before === null ? null : await counts(target).catch(() => null);
    if (signal.aborted) {
      return;
    }
    const views = (response.outputs ?? []).map(output => outputView(output, last.get(output.name)));
    last = new Map((response.outputs ?? []).map(output => [output.name, output.data]));
    const text = jsonText(response);
    answer.replaceChildren(...views,
      h('section', {class: 'output'}, h('h3', {}, 'Time'), h('p', {}, `${time(seconds)} from the browser and back.`),
        (after && phases(before, after, config.ensemble_scheduling ? 'steps' : 'elsewhere')) ?? h('p', {class: 'muted'}, 'Other requests ran meanwhile, so its phases are not known.')),
      h('details', {}, h('summary', {}, 'JSON'), h('div', {class: 'code'}, copyButton(() => text), h('pre', {tabindex: '0'}, text))));
  }

  async function readStream(made, signal) {
    const lines = h('ol', {class: 'stream', tabindex: '0', 'aria-label': 'Events'});
    const said = h('p', {class: 'muted'}, 'Waiting for the first…');
    const stop = h('button', {type: 'button', class: 'quiet', onclick: () => running?.abort()}, 'Stop');
    answer.replaceChildren(h('section', {class: 'output'}, h('h3', {}, 'Stream'), said, lines, stop));
    const start = performance.now();
    let size = 0;
    let first = null;
    try {
      for await (const event of events(made.url, {method: 'POST', body: JSON.stringify(made.body), signal})) {
        const since = (performance.now() - start) / 1000;
        first ??= since;
        size++;
        const {model_name: _, model_version: __, id: ___, ...rest} = event;
        if (event.error) {
          lines.append(h('li', {class: 'bad'}, event.error));
        } else {
          lines.append(h('li', {}, h('span', {class: 'muted'}, `+${time(since)} `),
            Object.entries(rest).map(([key, value]) => [h('b', {}, h('bdi', {}, key)), ' ', h('bdi', {}, typeof value === 'string' ? value : JSON.stringify(value)), ' '])));
        }
        while (lines.childElementCount > EVENTS) {
          lines.firstElementChild.remove();
        }
        said.textContent = `${size} so far, the first after ${time(first)}`;
      }
      said.textContent = `${size} in ${time((performance.now() - start) / 1000)}${first === null ? '' : `, the first after ${time(first)}`}`;
    } catch (failed) {
      said.textContent = failed.name === 'AbortError' ? `stopped after ${size}` : `ended after ${size}`;
      throw failed;
    } finally {
      stop.remove();
    }
  }

  const element = h('form', {
    class: 'inputs',
    onsubmit: event => {
      event.preventDefault();
      submit();
    },
    onkeydown: event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        submit();
      }
    },
  }, inputs.map(input => input.element),
  h('div', {class: 'row end'}, sendButton,
    liveLabel,
    h('span', {class: 'hint keyboard'}, 'or Ctrl+Enter'), field('Id', id)),
  refused);
  forget();
  showCode();
  return [element, h('div', {class: 'card result'}, h('h2', {}, 'Answer'), answer),
    h('details', {class: 'card program', open: true}, h('summary', {}, 'The request as a program sends it'), code)];
}
