/** The page of a version of a model: what it is, and its parts: try, live, requests, why, configuration. */

import {json} from './api.js';
import {configPart} from './config.js';
import {keyOf} from './counts.js';
import {badge, h, name, visible} from './dom.js';
import {feed, listen, readNow} from './feed.js';
import {draining} from './format.js';
import {livePart} from './live.js';
import {modelHref} from './models.js';
import {recordRequests, requestsPart} from './requests.js';
import {tryPart} from './try.js';
import {whyPart} from './why.js';

const PARTS = [['try', 'Try'], ['live', 'Live'], ['requests', 'Requests'], ['why', 'Why'], ['config', 'Configuration']];

/** The buttons that load and unload, if this console has them. */
function controls(row, say) {
  if (!feed.server?.control) {
    return null;
  }
  const act = async action => {
    const begun = Date.now();
    const progress = () => say(`${action}ing${action === 'load' ? ' and warming up' : ''}… ${Math.round((Date.now() - begun) / 1000)} s`);
    const timer = setInterval(progress, 1000);
    progress();
    const path = `/v2/repository/models/${encodeURIComponent(row.name)}/${action}`;
    try {
      await json(path, {method: 'POST', body: '{}'});
      say(`${action}ed`);
    } catch (failed) {
      say(failed.message);
    }
    clearInterval(timer);
    await readNow();
  };
  return h('div', {class: 'row'},
    h('button', {type: 'button', onclick: () => act('load')}, row.state === 'READY' ? 'Reload' : 'Load'),
    h('button', {type: 'button', disabled: row.state !== 'READY', onclick: () => act('unload')}, 'Unload'));
}

/** Says that the server does not have what the address names, with the versions that it has. */
function unknown(model, version) {
  const others = feed.models.filter(row => row.name === model && row.version !== undefined);
  return h('p', {class: 'reason bad', role: 'alert'},
    others.length === 0 ? `The server has no model '${visible(model)}'.` : `Model '${visible(model)}' has no version '${visible(version)}'. It has: `,
    others.map((row, i) => [i === 0 ? '' : ', ', h('a', {href: modelHref(row)}, `version ${row.version}`)]));
}

export function modelPage(model, version, part) {
  const key = keyOf({name: model, version});
  const head = h('div', {class: 'head'});
  const said = h('p', {class: 'muted', role: 'status'});
  const body = h('div');
  let close = () => {};
  let shown = '';
  let shownState = '';

  function row() {
    return feed.models.find(each => each.name === model && (each.version ?? '') === version) ?? null;
  }

  function update() {
    const now = row();
    const text = JSON.stringify([now, feed.server?.control, feed.readings.length > 0]);
    if (text === shown) {
      return;
    }
    const state = feed.readings.length === 0 ? 'reading' : now === null ? 'unknown' : now.state === 'READY' ? 'ready' : 'not ready';
    shown = text;
    head.replaceChildren(...[
      h('h1', {}, name(model), version === '' ? '' : h('span', {class: 'muted'}, ` version ${version}`)),
      now === null ? null : badge(now.state),
      now?.inFlight === undefined ? null : h('span', {class: 'muted'}, draining(now)),
      now?.platform ? h('span', {class: 'muted'}, [...new Set([now.platform, now.scheduling, now.decoupled ? 'decoupled' : null])].filter(Boolean).join(' · ')) : null,
      now === null ? null : controls(now, text => { said.textContent = text; }),
    ].filter(Boolean));
    if (now?.reason) {
      head.append(h('pre', {class: now.state === 'UNAVAILABLE' ? 'reason bad' : 'reason'}, now.reason));
    }
    if (state !== shownState) {
      shownState = state;
      showPart(state);
    }
  }

  function showPart(state) {
    close();
    const target = {name: model, version};
    const isReady = state === 'ready';
    const made = state === 'reading' ? {element: h('p', {class: 'muted'}, 'Reading…')}
      : state === 'unknown' ? {element: unknown(model, version)}
      : part === 'live' ? livePart(key)
      : part === 'requests' ? requestsPart(model)
      : part === 'why' ? whyPart(target)
      : part === 'config' ? configPart(target, isReady)
      : isReady ? tryPart(target)
      : {element: h('p', {class: 'muted'}, 'The model is not ready, so there is nothing to try.')};
    close = made.close ?? (() => {});
    body.replaceChildren(made.element);
  }

  const stops = [listen(update), recordRequests()];
  update();
  return {
    title: model,
    element: h('section', {},
      head, said,
      h('nav', {class: 'parts', 'aria-label': 'Parts of this model'}, PARTS.map(([id, label]) =>
        h('a', {href: modelHref({name: model, version}, id), 'aria-current': id === part ? 'page' : null}, label))),
      body),
    close: () => {
      stops.forEach(stop => stop());
      close();
    },
  };
}
