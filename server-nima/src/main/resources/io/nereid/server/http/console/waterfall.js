/** Where the time of a request went: its stages as phases, one after the other. */

/** The stages that begin a phase, in the order in which a request reaches them. */
const BEGINS = [
  ['HTTP_RECV_START', 'receive'],
  ['GRPC_WAITREAD_START', 'receive'],
  ['QUEUE_START', 'queue'],
  ['COMPUTE_START', 'input'],
  ['COMPUTE_INPUT_END', 'compute'],
  ['COMPUTE_OUTPUT_START', 'output'],
];

/** The phase from the queue on of a part that no instance has executed. */
function unexecuted(part, hasSteps) {
  return part.cached ? 'cache' : hasSteps ? 'steps' : 'queue';
}

/**
 * The phases of a part of a request, which /console/data/requests has: [{phase, from, to}] in
 * nanoseconds since the request's beginning. The first part lasts until the request's end.
 */
function phases(request, index) {
  const part = request.parts[index];
  const {stages} = part;
  const isFirst = index === 0;
  const end = isFirst ? request.nanos : stages.REQUEST_END ?? request.nanos;
  const begins = BEGINS.filter(([stage]) => stage in stages).map(([stage, phase]) => ({
    from: stages[stage],
    phase: phase === 'queue' && !('COMPUTE_START' in stages) ? unexecuted(part, isFirst && request.parts.length > 1) : phase,
  }));
  const done = stages.COMPUTE_END ?? stages.REQUEST_END;
  if (isFirst && done !== undefined) {
    begins.push({from: done, phase: 'respond'});
  }
  return begins.map(({from, phase}, i) => ({phase, from, to: Math.max(from, begins[i + 1]?.from ?? end)}));
}

/** The rows of a request's waterfall: its own, and one for each step: [{model, version, phases}]. */
export function waterfall(request) {
  return request.parts.map((part, i) => ({model: part.model, version: part.version, phases: phases(request, i)}));
}
