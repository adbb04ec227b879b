/** Rates and quantiles, from the differences of two readings of /console/data/live. */

/** The phases of a request, in order, by the names that the readings have. */
export const PHASES = [
  ['queue', 'queue'],
  ['compute_input', 'input'],
  ['compute_infer', 'compute'],
  ['compute_output', 'output'],
];

/** The name under which a version of a model is kept. */
export function keyOf(model) {
  return `${model.name}\n${model.version}`;
}

/** A reading with its models by key. */
export function reading(body) {
  return {...body, byKey: new Map(body.models.map(model => [keyOf(model), model]))};
}

function difference(now, before) {
  const old = new Map(before ?? []);
  return (now ?? []).map(([key, value]) => [key, value - (old.get(key) ?? 0)]).filter(([, value]) => value > 0);
}

function differences(now, before) {
  return Object.fromEntries(difference(Object.entries(now ?? {}), Object.entries(before ?? {})));
}

function phase(now, before) {
  return {
    nanos: now.nanos - (before?.nanos ?? 0),
    short: (now.short ?? 0) - (before?.short ?? 0),
    buckets: difference(now.buckets, before?.buckets),
  };
}

/** Whether counts have begun anew: the model was loaded again. */
function isNew(now, before) {
  return !before || (now.success ?? 0) < (before.success ?? 0) || (now.executions ?? 0) < (before.executions ?? 0);
}

/** What a model has done between two readings; seconds is the time between them. */
export function between(now, earlier, seconds) {
  const before = isNew(now, earlier) ? {} : earlier;
  const of = field => (now[field] ?? 0) - (before[field] ?? 0);
  const phases = {};
  for (const [name, counts] of Object.entries(now.phases ?? {})) {
    phases[name] = phase(counts, before.phases?.[name]);
  }
  return {
    seconds,
    success: of('success'),
    inferences: of('inferences'),
    executions: of('executions'),
    cacheHits: of('cacheHits'),
    pending: now.pending ?? 0,
    failures: differences(now.failures, before.failures),
    refusals: differences(now.refusals, before.refusals),
    batches: difference(now.batches, before.batches),
    phases,
  };
}

function merge(into, pairs) {
  const sums = new Map(into);
  for (const [key, value] of pairs) {
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return [...sums].sort((a, b) => a[0] - b[0]);
}

/** The sum of what several models have done in the same time. */
export function sum(parts, seconds) {
  const all = {seconds, success: 0, inferences: 0, executions: 0, cacheHits: 0, pending: 0, failures: {}, refusals: {}, batches: [], phases: {}};
  for (const part of parts) {
    for (const field of ['success', 'inferences', 'executions', 'cacheHits', 'pending']) {
      all[field] += part[field];
    }
    for (const field of ['failures', 'refusals']) {
      for (const [reason, count] of Object.entries(part[field])) {
        all[field][reason] = (all[field][reason] ?? 0) + count;
      }
    }
    all.batches = merge(all.batches, part.batches);
    for (const [name, counts] of Object.entries(part.phases)) {
      const sofar = all.phases[name] ?? {nanos: 0, short: 0, buckets: []};
      all.phases[name] = {
        nanos: sofar.nanos + counts.nanos,
        short: sofar.short + counts.short,
        buckets: merge(sofar.buckets, counts.buckets),
      };
    }
  }
  return all;
}

/** How many durations a phase has had. */
export function durations(counts) {
  return counts ? counts.short + counts.buckets.reduce((total, [, count]) => total + count, 0) : 0;
}

/**
 * A quantile of a phase in seconds; null if it has had no durations. Within a bucket, whose bounds
 * are powers of two, durations are taken to be spread evenly on a logarithmic scale.
 */
export function quantile(counts, share, perDoubling) {
  const total = durations(counts);
  if (total === 0) {
    return null;
  }
  let left = share * total - counts.short;
  if (left <= 0) {
    return 2 ** -20;
  }
  for (const [index, count] of counts.buckets) {
    if (left <= count) {
      return 2 ** ((index - 1 + left / count) / perDoubling);
    }
    left -= count;
  }
  const last = counts.buckets.at(-1);
  return last ? 2 ** (last[0] / perDoubling) : 2 ** -20;
}

/** The mean of a phase in seconds; null if it has had no durations. */
export function mean(counts) {
  const total = durations(counts);
  return total === 0 ? null : counts.nanos / total / 1e9;
}

/** The sum of the values of an object. */
export function total(byReason) {
  return Object.values(byReason).reduce((all, value) => all + value, 0);
}
