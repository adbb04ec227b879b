// What the console costs a server at 5,000 requests a second, by console.sh; prints two tables. First each page is open in Chromium:
// what it asks for, and how long its frames take. Then the same is asked without a browser, which would take processors from the server,
// in turn with nothing, and the server's CPU time is compared.
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {setTimeout as sleep} from 'node:timers/promises';

const {chromium} = createRequire(`${process.cwd()}/`)('playwright-core');
const {CONSOLE, SERVER, NEREID} = process.env;
const SECONDS = Number(process.env.COST_SECONDS ?? 20);
const ROUNDS = 5;
const TICKS_PER_SECOND = 100;

/** Seconds of CPU that the server has had. */
function cpu() {
  const fields = readFileSync(`/proc/${SERVER}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function answered() {
  const {model_stats: [model]} = await (await fetch(`${CONSOLE}/v2/models/simple/stats`)).json();
  return model.inference_count;
}

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

for (const {name} of await (await fetch(`${CONSOLE}/v2/repository/index`, {method: 'POST'})).json()) {
  if (/^model\d+$/.test(name)) {
    const body = JSON.stringify({inputs: [{name: 'INPUT0', datatype: 'FP32', shape: [1], data: [1]}]});
    await fetch(`${CONSOLE}/v2/models/${name}/infer`, {method: 'POST', body});
  }
}
const load = spawn(NEREID, ['bench', 'simple', `--server=${CONSOLE}`, '--rate=5000', '--seconds=3600', '--warmup=0'], {stdio: 'ignore'});
await sleep(15_000);

const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox']});
const asked = {};
console.log('| page | calls/s | frames/s | longest frame, ms |\n| --- | ---: | ---: | ---: |');
for (const name of ['models', 'live', 'requests', 'why']) {
  const page = await browser.newPage({viewport: {width: 1360, height: 860}});
  asked[name] = [];
  await page.goto(`${CONSOLE}/console/#/${name}`);
  await sleep(5000);
  page.on('request', request => asked[name].push(request.url()));
  const frames = await page.evaluate(seconds => new Promise(done => {
    const times = [];
    const frame = now => {
      times.push(now);
      return now - times[0] < seconds * 1000 ? requestAnimationFrame(frame) : done(times);
    };
    requestAnimationFrame(frame);
  }), SECONDS);
  const longest = Math.max(...frames.slice(1).map((now, i) => now - frames[i]));
  await page.close();
  console.log(`| ${name} | ${(asked[name].length / SECONDS).toFixed(2)} | ${(frames.length / SECONDS).toFixed(0)} | ${longest.toFixed(0)} |`);
}
await browser.close();

/** Asks for what a page asked for, evenly, and returns seconds of CPU per second and microseconds per inference. */
async function measure(paths) {
  const [begin, inferences, start] = [cpu(), await answered(), Date.now()];
  for (const path of paths) {
    await (await fetch(path)).arrayBuffer();
    await sleep(SECONDS * 1000 / paths.length);
  }
  await sleep(Math.max(0, start + SECONDS * 1000 - Date.now()));
  const [spent, done, seconds] = [cpu() - begin, await answered() - inferences, (Date.now() - start) / 1000];
  return {rate: done / seconds, share: spent / seconds, micros: spent / done * 1e6};
}

const measured = {closed: [], ...Object.fromEntries(Object.keys(asked).map(name => [name, []]))};
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, results] of Object.entries(measured)) {
    results.push(await measure(asked[name] ?? []));
  }
}
load.kill();
await sleep(2000);

/** Microseconds of CPU for one call, with nothing else to do. */
async function alone(path) {
  const calls = 400;
  const begin = cpu();
  for (let i = 0; i < calls; i++) {
    await (await fetch(path)).arrayBuffer();
  }
  return (cpu() - begin) / calls * 1e6;
}

console.log('\n| page | requests/s | CPU of the server, % of a processor | us per request | its calls alone, % |\n| --- | ---: | ---: | ---: | ---: |');
for (const [name, results] of Object.entries(measured)) {
  const costs = new Map();
  for (const path of new Set(asked[name] ?? [])) {
    costs.set(path, await alone(path));
  }
  const own = (asked[name] ?? []).reduce((total, path) => total + costs.get(path), 0) / SECONDS / 1e6;
  const of = key => median(results.map(result => result[key]));
  console.log(`| ${name} | ${of('rate').toFixed(0)} | ${(100 * of('share')).toFixed(1)} | ${of('micros').toFixed(1)} | ${(100 * own).toFixed(2)} |`);
}
