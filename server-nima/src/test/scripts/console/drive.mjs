// Drives the console as people do, by console.sh: exits with 1 if a task fails, a page has an error on its console, asks another
// origin, or has a violation of axe-core.
import {createRequire} from 'node:module';
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {strict as assert} from 'node:assert';

const require = createRequire(`${process.cwd()}/`);
const {chromium} = require('playwright-core');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const {CONSOLE, SERVER, NEREID} = process.env;
const faults = [];
let page = null;
let shots = 0;

const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox']});

async function open(options = {}) {
  // axe-core is put into the page by the debugger, past the policy; the server's own header is checked by ConsoleRoutesTest
  const context = await browser.newContext({viewport: {width: 1360, height: 860}, ...options});
  page = await context.newPage();
  page.on('console', message => message.type() === 'error' && !expected(message.text()) && faults.push(`console: ${message.text()}`));
  page.on('pageerror', error => faults.push(`error: ${error.stack}`));
  page.on('dialog', dialog => faults.push(`dialog: ${dialog.message()}`));
  page.on('request', request => !request.url().startsWith(CONSOLE) && faults.push(`another origin: ${request.url()}`));
}

/** Chromium logs each refused or failed request; the steps that cause one say so. */
let expecting = null;
function expected(text) {
  return expecting !== null && expecting.test(text);
}

async function go(hash) {
  await page.goto(`${CONSOLE}/console/${hash}`);
  await page.waitForFunction(() => /ready/.test(document.getElementById('health').textContent));
}

async function check(name) {
  await page.screenshot({path: `${String(++shots).padStart(2, '0')}-${name}.png`});
  if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) {
    faults.push(`${name}: the page is wider than the window`);
  }
  const {violations} = await page.evaluate(`${AXE}; axe.run()`);
  violations.forEach(({id, nodes}) => faults.push(`axe on ${name}: ${id}: ${nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(' | ')}`));
}

async function task(name, steps) {
  try {
    await steps();
    console.log(`ok    ${name}`);
  } catch (failed) {
    console.log(`FAIL  ${name}: ${String(failed.stack).slice(0, 800)}`);
    faults.push(name);
    await page.screenshot({path: `failed-${name.replaceAll(' ', '-')}.png`});
  }
}

async function draw() {
  const box = await page.locator('canvas.pad').boundingBox();
  const at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
  const three = [[.3, .25], [.45, .15], [.62, .2], [.66, .35], [.55, .47], [.42, .5], [.58, .53], [.7, .65], [.65, .8], [.48, .88], [.3, .8]];
  await page.mouse.move(...at(three[0]));
  await page.mouse.down();
  for (const point of three.slice(1)) {
    await page.mouse.move(...at(point), {steps: 4});
  }
  await page.mouse.up();
}

await open();
const load = spawn(NEREID, ['bench', 'model500', `--server=${CONSOLE}`, '--rate=1000', '--seconds=600', '--warmup=0'], {stdio: 'ignore'});
await task('a thousand models, one of them under load', async () => {
  await go('#/models');
  await page.fill('input[type=search]', 'model500');
  await page.waitForFunction(() => Number.parseFloat(document.querySelector('tbody td.num:not(.wide)').textContent) > 0);
  await check('load');
  await page.fill('input[type=search]', '');
  await page.waitForSelector('text=/10\\d\\d versions of models/');
  const start = Date.now();
  await page.fill('input[type=search]', 'model99');
  await page.waitForSelector('text=/^11 of/');
  await page.fill('input[type=search]', '');
  await page.click('thead button:has-text("State")');
  await page.click('thead button:has-text("Model")');
  console.log(`      filtered and sorted twice in ${Date.now() - start} ms`);
  await check('models');
});
load.kill();
await task('the reason of a failure, with its line', async () => {
  await page.click('.chips button:has-text("unavailable")');
  await page.waitForSelector('tr:has-text("broken") + tr:has-text("config.pbtxt:")');
  await check('failed');
});
await task('hostile names are text', async () => {
  await go('#/models');
  await page.click('.chips button:has-text("all")');
  await page.fill('input[type=search]', '<img');
  await page.click('a:has-text("<img src=x onerror=alert(1)>")');
  await page.waitForSelector('h1:has-text("<img src=x onerror=alert(1)>")');
  assert.equal(await page.locator('main img').count(), 0);
  await go('#/models');
  await page.fill('input[type=search]', 'longlong');
  await page.click('tbody a');
  await check('long-name');
  await go('#/models');
  await page.fill('input[type=search]', '\u202e');
  await page.waitForSelector('tbody a:has-text("\\\\u202eevil")');
  await check('right-to-left');
  await page.fill('input[type=search]', '');
});
await task('a digit is drawn and recognised', async () => {
  await go('#/model/digits/1/try');
  await draw();
  await page.waitForSelector('.verdict:has-text("three")');
  await page.waitForSelector('text=In the server');
  await check('digit');
  for (const language of ['Python', 'Java', 'curl']) {
    await page.click(`.program button:has-text("${language}")`);
    assert.match(await page.locator('.program pre').innerText(), /digits\/versions\/1\/infer/);
  }
});
await task('what was tried is among the requests', async () => {
  await page.click('nav a:text-is("Requests")');
  await page.waitForSelector('.requests a:has-text("digits")');
  await check('tried');
});
await task('a cleared pad has no answer and no program', async () => {
  await go('#/model/digits/1/try');
  await draw();
  await page.waitForSelector('.verdict:has-text("three")');
  assert.equal(await page.locator('.padhint').isVisible(), false);
  await page.click('button:text-is("Clear")');
  await page.waitForSelector('.program:has-text("There is no request yet")');
  assert.equal(await page.locator('.verdict, .program .copy').count(), 0);
  assert.equal(await page.locator('.padhint').isVisible(), true);
  await check('cleared');
});
await task('a table is pasted', async () => {
  await go('#/model/simple/1/try');
  const row = Array.from({length: 16}, (_, i) => i).join('\t');
  await page.locator('textarea').nth(0).fill(`${row}\n${row}`);
  await page.locator('textarea').nth(1).fill(`${row}\n${row}`);
  await page.click('button:has-text("Send")');
  await page.waitForSelector('.output:has-text("INT32 [2, 16]")');
  await page.locator('textarea').nth(1).fill('1 2 x');
  await page.click('button:has-text("Send")');
  await page.waitForSelector("[role=alert]:has-text(\"'x' is no whole number\")");
  assert.equal(await page.locator('.answer .output, .program .copy').count(), 0);
  await check('table');
  assert.equal(await page.locator('.check:has-text("send at once")').isVisible(), false);
  await go('#/model/identity_fp32/1/try');
  for (const [text, sentence] of [['1,5', 'may be one number or two'], ['1e999', 'JSON has no such number']]) {
    await page.fill('textarea', text);
    await page.click('button:has-text("Send")');
    await page.waitForSelector(`[role=alert]:has-text("${sentence}")`);
  }
  await page.fill('textarea', '0.25 -1.5 3');
  await page.click('button:has-text("Send")');
  await page.waitForSelector('.answer .output:has-text("[3]")');
  assert.equal(await page.locator('.verdict').count(), 0);
});
await task('tokens of a stream as they come', async () => {
  await go('#/model/sentences/1/try');
  await page.fill('textarea', 'The sea is calm. The boat is small. It sails at dawn.');
  await page.click('button:has-text("Send")');
  await page.waitForSelector('.stream li:nth-child(3):has-text("It sails at dawn.")');
  await check('stream');
});
await task('the graph of an ensemble', async () => {
  await go('#/model/digits_ensemble/1/config');
  await page.waitForSelector('svg.graph text:has-text("digits_label")');
  await check('ensemble');
});
await task('where the values of a configuration came from', async () => {
  await go('#/model/digits/1/config');
  await page.waitForSelector('.settings .within tr:has-text("[0].count"):has-text("config.pbtxt, line 22")');
  await page.waitForSelector('.settings .within tr:has-text("the server")');
  await check('configuration');
});
await task('an ensemble is tried, and has no scheduler', async () => {
  await go('#/model/digits_ensemble/1/try');
  await draw();
  await page.waitForSelector('.bars .steps');
  await check('ensemble-digit');
  await page.click('.parts a:has-text("Why")');
  await page.click('main .card a:has-text("digits")');
  await page.waitForSelector('button:has-text("Send 24 requests")');
});
await task('models that there are not', async () => {
  await go('#/model/none/1/try');
  await page.waitForSelector("[role=alert]:has-text(\"The server has no model 'none'.\")");
  await go('#/why/none/1');
  await page.waitForSelector("[role=alert]:has-text(\"The server has no model 'none'\")");
  await go('#/model/digits/9/live');
  await page.waitForSelector("[role=alert]:has-text(\"Model 'digits' has no version '9'.\")");
  await check('unknown');
  await page.click('[role=alert] a');
  await page.waitForSelector('canvas.pad');
  await page.goto(`${CONSOLE}/`);
  await page.waitForSelector('text=/versions of models/');
  assert.equal(new URL(page.url()).pathname, '/console/');
  await page.fill('input[type=search]', 'none at all');
  await page.waitForSelector('tbody:has-text("No model matches.")');
  await page.fill('input[type=search]', '');
});
await task('why a batch was formed', async () => {
  await go('#/why');
  await page.selectOption('select', {label: 'digits · version 1 · dynamic batching'});
  await page.click('button:has-text("Send 24 requests")');
  await page.waitForSelector('.sentence:has-text("Batch of")');
  await page.locator('.batches button').first().click();
  await page.waitForSelector('.ganttlist li');
  await page.waitForSelector('.sentence:has-text(" waited, and ")');
  await check('why');
  await go('#/model/simple/1/why');
  await page.click('button:has-text("Send 24 requests")');
  await page.waitForSelector('.sentence:has-text("each request is a batch of its own")');
});
await task('rates and latencies', async () => {
  await go('#/live');
  await page.waitForSelector('.cards td:has-text("ms")', {timeout: 20_000});
  await check('live');
});
await task('the slowest and the failed requests', async () => {
  await go('#/model/digits_ensemble/1/requests');
  await page.waitForSelector('text=Recorded while');
  const infer = (model, body) => page.request.post(`${CONSOLE}/v2/models/${model}/infer`, {data: body});
  const image = (name, datatype) => ({name, datatype, shape: [1, 1, 8, 8], data: Array(64).fill(0)});
  await infer('digits_ensemble', {id: 'whole', inputs: [image('grey', 'UINT8')]});
  await infer('digits', {id: 'wrong', inputs: [image('picture', 'FP32')]});
  await page.waitForSelector('.requests li:has-text("whole") .phases li:nth-child(2)');
  await go('#/requests');
  await page.waitForSelector('.requests .reason:has-text("picture")');
  await check('requests');
  await page.click('.requests a >> nth=0');
  await page.waitForSelector('.parts a[aria-current]:has-text("Requests")');
});
await task('health, options and the log', async () => {
  await go('#/server');
  await page.waitForSelector('tr:has-text("/v2/health/ready"):has-text("200")');
  await page.waitForSelector('.options tr:has-text("--console-control"):has-text("command line")');
  await page.waitForSelector('.log li:has-text("Started HTTPService")');
  await check('server');
  await page.click('.choices button:text-is("errors")');
  await page.waitForSelector('.log li.error:has-text("broken")');
  assert.equal(await page.locator('.log li.info').count(), 0);
  await page.click('.choices >> nth=1 >> button:text-is("all")');
  await page.fill('input[type=search]', 'exit timeout');
  await page.waitForSelector('.options tr:has-text("--exit-timeout-secs"):has-text("30"):has-text("default")');
  await check('options');
});
await task('a model is unloaded and loaded', async () => {
  await go('#/model/identity_fp32/1/config');
  await page.click('button:has-text("Unload")');
  await page.waitForSelector('.head .badge:has-text("unavailable")');
  await page.click('button:has-text("Load")');
  await page.waitForSelector('.head .badge:has-text("ready")');
});
await task('dark, and on a phone', async () => {
  await open({colorScheme: 'dark', viewport: {width: 390, height: 844}});
  await go('#/model/digits/1/try');
  await draw();
  await page.waitForSelector('.verdict');
  await check('phone-digit');
  for (const name of ['live', 'requests', 'server', 'model/digits/1/config']) {
    await go(`#/${name}`);
    await page.waitForSelector('main .card');
    await check(`phone-${name.split('/').at(-1)}`);
  }
});
await task('a key that the console wants', async () => {
  await open();
  expecting = /403/;
  await page.route('**/console/data/**', route => (route.request().headers()['c-key'] === 'secret' ? route.continue()
    : route.fulfill({status: 403, contentType: 'application/json', body: JSON.stringify({error: "This API is restricted, expecting header 'c-key'"})})));
  await page.goto(`${CONSOLE}/console/`);
  await page.fill('#notice input[type=password]', 'secret');
  await check('key');
  await page.click('#notice button');
  await page.waitForSelector('text=/versions of models/');
  expecting = null;
});
await task('a server that refuses', async () => {
  await open();
  expecting = /503/;
  let refusals = 0;
  await page.route('**/console/data/live', route => (++refusals > 2 ? route.continue()
    : route.fulfill({status: 503, headers: {'Retry-After': '1'}, contentType: 'application/json', body: '{"error":"as many requests wait as may"}'})));
  await page.goto(`${CONSOLE}/console/`);
  await page.waitForSelector('#notice:has-text("as many requests wait as may")');
  await page.waitForSelector('#health:text-is("ready")');
  expecting = null;
});
await task('a server that is gone', async () => {
  await open();
  await go('#/models');
  expecting = /ERR_CONNECTION|ERR_EMPTY|Failed to load resource/;
  process.kill(Number(SERVER), 'SIGTERM');
  await page.waitForSelector('#health:has-text("gone")', {timeout: 60_000});
  await check('gone');
});
await browser.close();
faults.forEach(fault => console.log(`fault ${fault}`));
process.exit(faults.length === 0 ? 0 : 1);
