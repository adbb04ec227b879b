/** Numbers as people read them. */

/** A count: 950, 1,234, 56.7k, 1.2M. */
export function count(value) {
  if (value >= 1e6) {
    return `${(value / 1e6).toFixed(1)}M`;
  }
  return value >= 1e4 ? `${(value / 1e3).toFixed(1)}k` : Math.round(value).toLocaleString('en');
}

/** Events a second. */
export function rate(value) {
  return value > 0 && value < 10 ? value.toFixed(1) : count(value);
}

/** A time in seconds: 850 ns, 12.3 us, 4.56 ms, 1.20 s; a dash if there is none. */
export function time(seconds) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) {
    return '–';
  }
  const [unit, scale] = seconds >= 0.9995 ? ['s', 1] : seconds >= 0.9995e-3 ? ['ms', 1e3] : ['µs', 1e6];
  const value = seconds * scale;
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ${unit}`;
}

/** A number of a tensor. */
export function number(value) {
  if (typeof value !== 'number' || Number.isInteger(value)) {
    return String(value);
  }
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(3) : value.toPrecision(4);
}

/** How many requests a version that unloads still waits for; empty if that is not known. */
export function draining(row) {
  return row.inFlight === undefined ? '' : `${count(row.inFlight)} ${row.inFlight === 1 ? 'request' : 'requests'} in flight`;
}

/** A constant of the server as words: queue_full becomes "queue full". */
export function words(text) {
  return text.replaceAll('_', ' ').toLowerCase();
}
