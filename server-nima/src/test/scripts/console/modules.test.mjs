// The modules of the console that need no page; run by console.sh.
import {strict as assert} from 'node:assert';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';

const of = name => import(`../../../main/resources/io/nereid/server/http/console/${name}.js`);
const {between, quantile, sum} = await of('counts');
const {story, waited} = await of('decisions');
const {time} = await of('format');
const {values} = await of('origins');
const {curl, java, python} = await of('snippets');
const {binary, fit, numbers, picture, pixels} = await of('tensors');
const {waterfall} = await of('waterfall');

const phase = (...buckets) => ({nanos: 1, short: 0, buckets});

test('a quantile is within its bucket, whose bounds are powers of two', () => {
  assert.equal(quantile(undefined, 0.5, 4), null);
  assert.equal(quantile(phase(), 0.5, 4), null);
  assert.equal(quantile(phase([-40, 4]), 1, 4), 2 ** -10);
  assert.equal(quantile(phase([-40, 4]), 0.5, 4), 2 ** -10.125);
  assert.equal(quantile(phase([-40, 99], [-4, 1]), 0.99, 4), 2 ** -10);
  assert.ok(quantile(phase([-40, 99], [-4, 1]), 0.995, 4) > 2 ** -1.25);
  assert.equal(quantile({nanos: 1, short: 3, buckets: []}, 0.5, 4), 2 ** -20);
});

test('counts are differences, and begin anew when a model was loaded again', () => {
  const before = {success: 10, executions: 5, failures: {backend: 1}, refusals: {}, batches: [[1, 4], [2, 1]], phases: {queue: phase([-8, 10])}};
  const now = {success: 13, executions: 7, pending: 2, failures: {backend: 1, other: 2}, refusals: {}, batches: [[1, 4], [2, 2], [4, 1]], phases: {queue: phase([-8, 12], [-4, 1])}};
  const done = between(now, before, 2);
  assert.equal(done.success, 3);
  assert.deepEqual(done.failures, {other: 2});
  assert.deepEqual(done.batches, [[2, 1], [4, 1]]);
  assert.deepEqual(done.phases.queue.buckets, [[-8, 2], [-4, 1]]);
  assert.equal(between({success: 2, executions: 1}, before, 2).success, 2);
  assert.equal(between(now, undefined, 2).success, 13);
  const all = sum([done, done], 2);
  assert.deepEqual([all.success, all.pending, all.failures.other, all.batches], [6, 4, 4, [[2, 2], [4, 2]]]);
});

test('numbers take the shape of an input', () => {
  assert.deepEqual(fit([2, 3], 6, 2), [2, 3]);
  assert.deepEqual(fit([-1, 3], 6, 2), [2, 3]);
  assert.deepEqual(fit([-1, -1], 6, 2), [2, 3]);
  assert.deepEqual(fit([-1, -1, 4], 8, 1), [1, 2, 4]);
  assert.throws(() => fit([2, 3], 5, 1), /has 6 elements, and 5 were given/);
  assert.throws(() => fit([-1, 3], 5, 1), /multiple of 3/);
  assert.throws(() => fit([-1], 0, 0), /0 were given/);
});

test('texts and tables become numbers, or a sentence', () => {
  assert.deepEqual(numbers('1\t2\n3,4,5 ; 5e-1\n\n', 'FP32'), {data: [1, 2, 3, 4, 5, 0.5], rows: 2});
  assert.deepEqual(numbers('true 0', 'BOOL').data, [true, false]);
  assert.throws(() => numbers('1.5', 'INT32'), /'1.5' is no whole number, and the type is INT32/);
  assert.throws(() => numbers('9007199254740993', 'INT64'), /too large for a page/);
  assert.throws(() => numbers('x', 'FP32'), /'x' is no number/);
  assert.throws(() => numbers('2 1,5', 'FP32'), /'1,5' may be one number or two: write 1.5 or 1, 5/);
  assert.deepEqual(numbers('1,5', 'INT32').data, [1, 5]);
  assert.throws(() => numbers('1e999', 'FP64'), /'1e999' is not finite, and JSON has no such number/);
  assert.deepEqual(binary(new Float32Array([1.5, -2]).buffer, 'FP32'), [1.5, -2]);
  assert.throws(() => binary(new ArrayBuffer(3), 'INT16'), /3 bytes, which is no multiple of the 2 of INT16/);
});

test('shapes that are pictures, and their pixels', () => {
  assert.deepEqual(picture([1, 8, 8], 'FP32'), {channels: 1, height: 8, width: 8, order: 'CHW'});
  assert.deepEqual(picture([224, 224, 3], 'UINT8'), {channels: 3, height: 224, width: 224, order: 'HWC'});
  assert.deepEqual(picture([784], 'FP32'), {channels: 1, height: 28, width: 28, order: 'HW'});
  assert.equal(picture([16], 'FP32'), null);
  assert.equal(picture([1, 8, 8], 'BYTES'), null);
  const rgba = [255, 0, 0, 255, 0, 0, 255, 255];
  const size = {width: 2, height: 1, channels: 3};
  const scale = {max: 1, mean: 0.5, deviation: 0.5};
  assert.deepEqual(pixels(rgba, {...size, order: 'CHW'}, scale, 'FP32'), [1, -1, -1, -1, -1, 1]);
  assert.deepEqual(pixels(rgba, {...size, order: 'HWC'}, scale, 'FP32'), [1, -1, -1, -1, -1, 1]);
  assert.deepEqual(pixels([255, 255, 255, 255], {width: 1, height: 1, channels: 1, order: 'CHW'}, {max: 16, mean: 0, deviation: 1}, 'UINT8'), [16]);
});

test('what programs send is quoted', () => {
  const body = '{"text":"it\'s $HOME `x` \\\\ \u202e"}';
  const printed = execFileSync('bash', ['-c', `printf '%s\\0' ${curl('http://h/v2/a', body, ['k']).slice(5)}`], {encoding: 'utf8'}).split('\0');
  assert.ok(printed.includes(body) && printed.includes('http://h/v2/a') && printed.includes('k: <key>'));
  assert.match(python('http://h/x_stream', body, []), /for line in response/);
  assert.ok(!/[^\x00-\x7f]/.test(python('http://h/', body, []) + java('http://h/', body, [])));
});

test('a time has three digits, and the unit that suits it', () => {
  assert.deepEqual([0.0123e-3, 0.9994e-3, 0.99996e-3, 0.12, 0.9999].map(time), ['12.3 µs', '999 µs', '1.00 ms', '120 ms', '1.00 s']);
});

test('decisions become batches with the waits of their requests', () => {
  const arrived = (ticket, nanos) => ({kind: 'arrived', ticket, id: '', rows: 1, nanos});
  const told = story([
    {nanos: 1000, events: [arrived(7, 1000)], actions: [{kind: 'other', text: 'instance 0 is woken'}]},
    {nanos: 5000, events: [arrived(8, 4000)], actions: [{kind: 'batch', instance: 0, reason: 'no_delay', tickets: [7, 8, 0, 3], text: 'batch'}]},
    {nanos: 9000, events: [{kind: 'executed', instance: 0, nanos: 8000}], actions: [{kind: 'refused', ticket: 9, text: 'full'}]},
  ]);
  assert.equal(told.batches.length, 1);
  const [batch] = told.batches;
  assert.deepEqual(batch.requests.map(request => request.ticket), [7, 8, 3]);
  assert.ok(Math.abs(waited(batch) - 4e-6) < 1e-12);
  assert.ok(Math.abs(batch.end - 7e-6) < 1e-12);
  assert.deepEqual(told.refusals, [{at: 8e-6, ticket: 9, text: 'full'}]);
  assert.deepEqual(story([{nanos: 3000, events: [], actions: [{kind: 'refused', ticket: 1, text: ''}]}], 1000).refusals[0].at, 2e-6);
});

test('the stages of a request become phases without a gap', () => {
  const stages = {HTTP_RECV_START: 0, REQUEST_START: 8, QUEUE_START: 10, COMPUTE_START: 30, COMPUTE_INPUT_END: 31, COMPUTE_OUTPUT_START: 80, COMPUTE_END: 85, REQUEST_END: 90};
  const part = {model: 'm', version: 1, cached: false, stages};
  const text = (request, i) => waterfall(request)[i].phases.map(({phase, from, to}) => `${phase} ${from}-${to}`).join(' ');
  assert.equal(text({nanos: 100, parts: [part]}, 0), 'receive 0-10 queue 10-30 input 30-31 compute 31-80 output 80-85 respond 85-100');
  assert.equal(text({nanos: 70, parts: [{...part, version: 0, stages: {GRPC_WAITREAD_START: 0}}]}, 0), 'receive 0-70');
  const waiting = {...part, stages: {HTTP_RECV_START: 0, REQUEST_START: 1, QUEUE_START: 2, REQUEST_END: 50}};
  assert.equal(text({nanos: 60, parts: [waiting]}, 0), 'receive 0-2 queue 2-50 respond 50-60');
  assert.equal(text({nanos: 60, parts: [{...waiting, cached: true}]}, 0), 'receive 0-2 cache 2-50 respond 50-60');
  const step = {...part, model: 's', stages: {REQUEST_START: 3, QUEUE_START: 3, COMPUTE_START: 5, COMPUTE_INPUT_END: 6, COMPUTE_OUTPUT_START: 7, COMPUTE_END: 8, REQUEST_END: 9}};
  const ensemble = {nanos: 60, parts: [waiting, step]};
  assert.equal(text(ensemble, 0), 'receive 0-2 steps 2-50 respond 50-60');
  assert.equal(text(ensemble, 1), 'queue 3-5 input 5-6 compute 6-7 output 7-9');
});

test('values within a setting come from a line of the file, or from the server', () => {
  const lines = {input: 2, 'input[0]': 2, 'input[0].name': 3, 'input[0].dims': 4, parameters: 9, 'parameters["k"]': 9, 'parameters["k"].value': 10, 'parameters["k"].value.string_value': 11};
  assert.deepEqual(values('input', [{name: 'a', format: 'FORMAT_NONE', dims: ['1', '2'], optional: false, reshape: {shape: []}}], lines), [
    {path: 'input[0].name', value: 'a', line: 3}, {path: 'input[0].format', value: 'FORMAT_NONE', line: null}, {path: 'input[0].dims', value: ['1', '2'], line: 4}]);
  assert.deepEqual(values('parameters', {k: {string_value: 'v'}, added: {string_value: 'w'}}, lines), [
    {path: 'parameters["k"].value.string_value', value: 'v', line: 11}, {path: 'parameters.added.string_value', value: 'w', line: null}]);
  const empty = {preferred_batch_size: [], max_queue_delay_microseconds: 0};
  assert.deepEqual(values('dynamic_batching', empty, {dynamic_batching: 5}), [{path: 'dynamic_batching', value: '{ }', line: 5}]);
  assert.deepEqual(values('dynamic_batching', empty, {}), []);
  assert.deepEqual(values('max_batch_size', 0, {}), []);
  assert.deepEqual(values('max_batch_size', 0, {max_batch_size: 7}), [{path: 'max_batch_size', value: 0, line: 7}]);
});
