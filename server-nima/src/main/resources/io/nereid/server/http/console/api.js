/**
 * Requests to the server. A failure is an ApiError with a sentence; a key of a restricted API is
 * asked for once and kept until the tab closes.
 */

const STORE = 'nereid.keys';
const keys = new Map(Object.entries(JSON.parse(sessionStorage.getItem(STORE) ?? '{}')));

/** A response that is no success, or none: then the status is 0. */
export class ApiError extends Error {
  constructor(status, message, retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** The header that a restricted API wants; null if that is not the failure. */
  get header() {
    return this.status === 403 ? (/expecting header '([^']*)'/.exec(this.message)?.[1] ?? null) : null;
  }

  /** Whether the server is there and does not want more work now. */
  get isRefusal() {
    return this.status === 429 || this.status === 503;
  }
}

/** Keeps the value of a header for all requests from now on. */
export function setKey(header, value) {
  keys.set(header, value);
  sessionStorage.setItem(STORE, JSON.stringify(Object.fromEntries(keys)));
}

/** The headers that restricted APIs were given. */
export function keyHeaders() {
  return [...keys.keys()];
}

async function failure(response) {
  const text = await response.text();
  let message = text.slice(0, 2000);
  try {
    message = JSON.parse(text).error ?? message;
  } catch { /* not JSON: the text itself */ }
  const retryAfter = Number(response.headers.get('Retry-After')) || null;
  return new ApiError(response.status, message || `HTTP status ${response.status}`, retryAfter);
}

/** Sends a request; returns the response if it is a success. */
export async function send(path, {method = 'GET', body, signal} = {}) {
  const headers = Object.fromEntries(keys);
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  let response;
  try {
    response = await fetch(path, {method, body, headers, signal, cache: 'no-store'});
  } catch (failed) {
    if (failed.name === 'AbortError') {
      throw failed;
    }
    throw new ApiError(0, 'the server does not answer', null);
  }
  if (!response.ok) {
    throw await failure(response);
  }
  return response;
}

/** As send; returns what the body's JSON is. */
export async function json(path, options) {
  const text = await (await send(path, options)).text();
  return text === '' ? null : JSON.parse(text);
}

/** The path of a model below /v2. */
export function modelPath(model, version) {
  const of = version === undefined || version === '' ? '' : `/versions/${encodeURIComponent(version)}`;
  return `/v2/models/${encodeURIComponent(model)}${of}`;
}

/** The events of a stream, as they come: an async iterator of the parsed data of each. */
export async function* events(path, options) {
  const response = await send(path, options);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    const whole = text.split('\n\n');
    text = whole.pop();
    for (const event of whole) {
      const data = event.split('\n').filter(line => line.startsWith('data:')).map(line => line.slice(5)).join('\n');
      if (data.trim() !== '') {
        yield JSON.parse(data);
      }
    }
  }
}
