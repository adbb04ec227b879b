/** The decisions of a scheduler as batches, refusals and the requests of both. */

/**
 * Reads /console/data/decisions/...: times become seconds since the origin, the first decision's nanoseconds unless it is given.
 *
 * @returns {batches, refusals, requests, start, end}; a batch has its requests, and an end once it
 *     was executed
 */
export function story(decisions, origin = decisions[0]?.nanos ?? 0) {
  const seconds = nanos => (nanos - origin) / 1e9;
  const requests = new Map();
  const running = new Map();
  const batches = [];
  const refusals = [];
  for (const decision of decisions) {
    for (const event of decision.events) {
      if (event.kind === 'arrived') {
        requests.set(event.ticket, {...event, at: seconds(event.nanos)});
      } else if (event.kind === 'executed') {
        const batch = running.get(event.instance)?.shift();
        if (batch) {
          batch.end = seconds(event.nanos);
        }
      }
    }
    for (const action of decision.actions) {
      const at = seconds(decision.nanos);
      if (action.kind === 'batch') {
        const batch = {
          at, end: null, text: action.text, reason: action.reason, instance: action.instance,
          requests: action.tickets.filter(ticket => ticket !== 0).map(ticket => requests.get(ticket) ?? {ticket, id: '', rows: 1, at: null}),
        };
        batches.push(batch);
        running.set(action.instance, [...(running.get(action.instance) ?? []), batch]);
      } else if (action.kind === 'refused') {
        refusals.push({at, ticket: action.ticket, text: action.text});
      }
    }
  }
  const last = decisions.at(-1);
  return {batches, refusals, requests: [...requests.values()], start: decisions.length === 0 ? 0 : seconds(decisions[0].nanos), end: last ? seconds(last.nanos) : 0};
}

/** The longest wait of a batch's requests in seconds; null if none is known. */
export function waited(batch) {
  const known = batch.requests.filter(request => request.at !== null).map(request => batch.at - request.at);
  return known.length === 0 ? null : Math.max(0, ...known);
}

/** The rows of a batch. */
export function rows(batch) {
  return batch.requests.reduce((all, request) => all + request.rows, 0);
}
