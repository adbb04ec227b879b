/** A time line of a scheduler: arrivals, refusals, and the batches of each instance. */

import {h, svg} from './dom.js';

const WIDTH = 1240;
const LEFT = 92;
const LANE = 30;
/** Marks that are drawn of a lane; more would not be told apart. */
const MOST = 3000;

/** A step between ticks that leaves five or so. */
function step(span) {
  const power = 10 ** Math.floor(Math.log10(span / 5));
  return [1, 2, 5, 10].map(each => each * power).find(each => span / each <= 7);
}

/** The label of a tick, with the digits in which it differs from the next one. */
function label(at, tick) {
  const [unit, scale] = tick >= 0.5 ? ['s', 1] : tick >= 0.5e-3 ? ['ms', 1e3] : ['µs', 1e6];
  return `${(at * scale).toFixed(Math.max(0, -Math.floor(Math.log10(tick * scale) + 1e-9)))} ${unit}`;
}

/**
 * A time line. Returns {element, draw(story, view, chosen)}: view is {from, to} in seconds, and
 * choose is called with the batch that was clicked, look with another view.
 */
export function timeline(choose, look) {
  const picture = svg('svg', {class: 'timeline', 'aria-hidden': 'true'});
  let view = {from: 0, to: 1};
  let dragged = null;

  picture.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) < Math.abs(event.deltaY)) {
      return; // the page scrolls
    }
    event.preventDefault();
    const span = view.to - view.from;
    if (event.ctrlKey || event.metaKey) {
      const at = place(event);
      const factor = event.deltaY > 0 ? 1.25 : 0.8;
      look({from: at - (at - view.from) * factor, to: at + (view.to - at) * factor});
    } else {
      const by = span * event.deltaX / WIDTH;
      look({from: view.from + by, to: view.to + by});
    }
  }, {passive: false});
  picture.addEventListener('pointerdown', event => { dragged = {at: event.clientX, view}; });
  picture.addEventListener('pointermove', event => {
    if (dragged !== null && Math.abs(event.clientX - dragged.at) > 4) {
      const by = (dragged.at - event.clientX) / picture.clientWidth * WIDTH / (WIDTH - LEFT) * (dragged.view.to - dragged.view.from);
      look({from: dragged.view.from + by, to: dragged.view.to + by});
    }
  });
  window.addEventListener('pointerup', () => { dragged = null; });

  function place(event) {
    const box = picture.getBoundingClientRect();
    return view.from + ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT) * (view.to - view.from);
  }

  function draw(story, now, chosen) {
    view = now;
    const span = view.to - view.from;
    const x = at => LEFT + (at - view.from) / span * (WIDTH - LEFT);
    const inView = at => at >= view.from && at <= view.to;
    const instances = [...new Set(story.batches.map(batch => batch.instance))].sort((a, b) => a - b);
    const lanes = ['arrivals', ...(story.refusals.length > 0 ? ['refusals'] : []), ...instances.map(instance => `instance ${instance}`)];
    const top = lane => 6 + lanes.indexOf(lane) * LANE;
    const height = 6 + lanes.length * LANE + 24;
    picture.setAttribute('viewBox', `0 0 ${WIDTH} ${height}`);
    const parts = lanes.map(lane => svg('g', {},
      svg('rect', {x: LEFT, y: top(lane), width: WIDTH - LEFT, height: LANE - 6, class: 'lane'}),
      svg('text', {x: LEFT - 8, y: top(lane) + 16, 'text-anchor': 'end'}, lane)));
    const tick = step(span);
    for (let at = Math.ceil(view.from / tick) * tick; at <= view.to; at += tick) {
      parts.push(svg('line', {x1: x(at), x2: x(at), y1: 4, y2: height - 22, class: 'grid'}),
        svg('text', {x: x(at), y: height - 8, 'text-anchor': 'middle'}, Math.abs(at) < tick / 2 ? '0' : `${at < 0 ? '−' : ''}${label(Math.abs(at), tick)}`));
    }
    const members = new Set(chosen?.requests.map(request => request.ticket) ?? []);
    for (const request of story.requests.filter(each => inView(each.at)).slice(-MOST)) {
      const isMember = members.has(request.ticket);
      parts.push(svg('circle', {cx: x(request.at), cy: top('arrivals') + 12, r: isMember ? 5.5 : 4, class: isMember ? 'arrival member' : 'arrival'}));
      if (isMember) {
        parts.push(svg('path', {d: `M${x(request.at)} ${top('arrivals') + 17}L${x(chosen.at)} ${top(`instance ${chosen.instance}`)}`, class: 'joins'}));
      }
    }
    for (const refusal of story.refusals.filter(each => inView(each.at)).slice(-MOST)) {
      const [cx, cy] = [x(refusal.at), top('refusals') + 12];
      parts.push(svg('path', {d: `M${cx - 4} ${cy - 4}l8 8M${cx + 4} ${cy - 4}l-8 8`, class: 'refusal'}, svg('title', {}, refusal.text)));
    }
    for (const batch of story.batches.filter(each => each.at <= view.to && (each.end ?? view.to) >= view.from).slice(-MOST)) {
      const from = Math.max(LEFT, x(batch.at));
      const to = Math.min(WIDTH, x(batch.end ?? view.to));
      const width = Math.max(3, to - from);
      const box = svg('g', {class: `batch ${batch === chosen ? 'chosen' : ''}`, onclick: () => choose(batch)},
        svg('title', {}, batch.text),
        svg('rect', {x: from, y: top(`instance ${batch.instance}`) + 1, width, height: LANE - 8, rx: 3}));
      if (width > 22) {
        box.append(svg('text', {x: from + width / 2, y: top(`instance ${batch.instance}`) + 16, 'text-anchor': 'middle'}, String(batch.requests.length)));
      }
      parts.push(box);
    }
    picture.replaceChildren(...parts);
  }

  return {element: h('div', {class: 'timelinebox', tabindex: '0', role: 'group', 'aria-label': 'Time line; the list of batches has the same'}, picture), draw};
}
