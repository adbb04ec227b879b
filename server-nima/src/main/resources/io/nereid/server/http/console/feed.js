/**
 * What the server says all the time: its counts, read every two seconds or more while the page is
 * visible, and its list of models, read again when one has changed. Pages listen to it.
 */

import {ApiError, json} from './api.js';
import {between, keyOf, quantile, reading, sum} from './counts.js';

const INTERVAL = 2000;
/** Milliseconds more for each model that has had requests: its counts cost the server something. */
const OF_MODEL = 5;
const LONGEST_PAUSE = 10_000;
/** Readings that are kept: five minutes. */
const KEPT = 150;
/** Nanoseconds back to which quantiles look. */
const WINDOW = 9.5e9;

export const feed = {
  /** The rows of /console/data/models. */
  models: [],
  /** What /console/data/server says; null until it has. */
  server: null,
  /** The last readings, oldest first. */
  readings: [],
  /** Null while all is well; else the ApiError. */
  failure: null,
  /** Why the server is not ready; empty if it is. */
  obstacle: '',
};

const listeners = new Set();
let timer;
let failures = 0;

/** Calls a function after each reading or failure, until the function that is returned is called. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell() {
  listeners.forEach(listener => listener());
}

/** Reads the list of models again. */
export async function refreshModels() {
  feed.models = await json('/console/data/models');
  tell();
}

async function read() {
  if (feed.server === null) {
    feed.server = await json('/console/data/server');
  }
  const latest = reading(await json('/console/data/live'));
  const last = feed.readings.at(-1);
  if (last && latest.nanos < last.nanos) { // another process
    feed.readings = [];
    feed.server = await json('/console/data/server');
  }
  const isMoving = feed.models.some(row => row.state === 'LOADING' || row.state === 'UNLOADING');
  if (feed.failure !== null || feed.models.length === 0 || isMoving || last?.changes !== latest.changes) {
    feed.models = await json('/console/data/models');
  }
  feed.readings.push(latest);
  if (feed.readings.length > KEPT) {
    feed.readings.shift();
  }
  feed.obstacle = latest.obstacle;
}

async function turn() {
  let pause;
  try {
    await read();
    const active = feed.readings.at(-1).models.filter(model => model.phases).length;
    pause = Math.min(LONGEST_PAUSE, INTERVAL + OF_MODEL * active);
    feed.failure = null;
    failures = 0;
  } catch (failed) {
    feed.failure = failed instanceof ApiError ? failed : new ApiError(0, String(failed), null);
    failures++;
    pause = Math.min(LONGEST_PAUSE, feed.failure.retryAfter ? feed.failure.retryAfter * 1000 : 1000 * 2 ** failures);
  }
  tell();
  clearTimeout(timer);
  if (!document.hidden) {
    timer = setTimeout(turn, pause);
  }
}

/** Begins, and goes on whenever the page becomes visible. */
export function start() {
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) {
      turn();
    }
  });
  return turn();
}

/** Reads at once: a key was given, or a model has changed. */
export function readNow() {
  clearTimeout(timer);
  return turn();
}

/** The index of the reading with which a reading is compared: the last that is old enough. */
function earlier(index) {
  const {readings} = feed;
  let found = index - 1;
  while (found > 0 && readings[index].nanos - readings[found].nanos < WINDOW) {
    found--;
  }
  return found;
}

/** What one model, or all for null, has done between two readings. */
function done(key, now, before) {
  const seconds = (now.nanos - before.nanos) / 1e9;
  if (key !== null) {
    const model = now.byKey.get(key);
    return model ? between(model, before.byKey.get(key), seconds) : null;
  }
  return sum(now.models.map(model => between(model, before.byKey.get(keyOf(model)), seconds)), seconds);
}

/** What a model, or all for null, has done in the last ten seconds; null before two readings. */
export function lately(key) {
  const last = feed.readings.length - 1;
  return last > 0 ? done(key, feed.readings[last], feed.readings[earlier(last)]) : null;
}

/** Points of time for charts, oldest first: each with its age in seconds, rates and quantiles. */
export function history(key) {
  const points = [];
  const {readings} = feed;
  const end = readings.at(-1)?.nanos ?? 0;
  for (let i = 1; i < readings.length; i++) {
    const now = readings[i];
    points.push(point(now, key === null ? 'all' : key, () => {
      const step = done(key, now, readings[i - 1]);
      const wide = done(key, now, readings[earlier(i)]);
      return step === null ? null : {
        rate: step.success / step.seconds,
        failed: (Object.values(step.failures).reduce((a, b) => a + b, 0) + Object.values(step.refusals).reduce((a, b) => a + b, 0)) / step.seconds,
        pending: step.pending,
        p50: quantile(wide.phases.request, 0.5, now.bucketsPerDoubling),
        p95: quantile(wide.phases.request, 0.95, now.bucketsPerDoubling),
        p99: quantile(wide.phases.request, 0.99, now.bucketsPerDoubling),
      };
    }));
  }
  return readings.slice(1).map((now, i) => ({age: (end - now.nanos) / 1e9, ...points[i]}));
}

/** A point is computed once, and kept with its reading. */
function point(now, key, compute) {
  now.points ??= new Map();
  if (!now.points.has(key)) {
    now.points.set(key, compute());
  }
  return now.points.get(key);
}
