// Runs the kit's jar against a server that is wrong in some ways, and looks at its pages in Chromium:
//   node check.mjs <nereid-tck.jar> <folder>
// The folder has node_modules/playwright-core, and gets the reports and screenshots. CHROMIUM names the browser.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import http from 'node:http';
import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [jar, folder] = process.argv.slice(2).map(file => path.resolve(file));
const {chromium} = createRequire(folder + '/')('playwright-core');
const java = process.env.JAVA_HOME ? process.env.JAVA_HOME + '/bin/java' : 'java';

/** A server that says more of its health than it should, and knows one model. */
function partly(request, response) {
  const answers = {
    '/v2': {name: 'partly', version: '1.0', extensions: ['classification', 'statistics']},
    '/v2/health/live': {live: true},
    '/v2/health/ready': {ready: true},
    '/v2/models/simple/ready': '',
  };
  const answer = answers[request.url] ?? {error: 'Not <b>Found</b>'};
  response.writeHead(request.url in answers ? 200 : 404, {'Content-Type': 'application/json'});
  response.end(answer && JSON.stringify(answer));
}

function nothing(request, response) {
  response.writeHead(404).end();
}

async function tck(...words) {
  const child = spawn(java, ['-jar', jar, ...words], {stdio: ['ignore', 'ignore', 'inherit']});
  return new Promise(resolve => child.on('exit', resolve));
}

async function verify(handler, output) {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => handler(request, response));
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const status = await tck('--url', `http://127.0.0.1:${server.address().port}`, '-o', output);
  server.closeAllConnections();
  server.close();
  assert.equal(status, 1, output); // it does not conform
}

const file = name => path.join(folder, name);
await verify(partly, file('partly'));
await verify(nothing, file('nothing'));
assert.equal(await tck('compare', file('partly/results.json'), file('nothing/results.json'), '-o', file('matrix.html')), 0);

const browser = await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox']});
const forms = {
  desktop: {viewport: {width: 1280, height: 900}, colorScheme: 'light'},
  phone: {viewport: {width: 360, height: 740}, colorScheme: 'dark', hasTouch: true, isMobile: true},
};

async function open(context, name, hash = '') {
  const page = await context.newPage();
  page.on('console', message => assert.notEqual(message.type(), 'error', message.text()));
  page.on('pageerror', error => assert.fail(error));
  page.on('request', request => assert.match(request.url(), /^(file|data):/, 'loads nothing'));
  await page.goto(pathToFileURL(file(name)) + hash);
  return page;
}

async function assertFits(page, name) {
  const content = await page.evaluate(() => document.documentElement.scrollWidth);
  const {width} = page.viewportSize();
  assert.ok(content <= width, `${name}: ${content} pixels wide, on a screen of ${width}`);
}

for (const [name, options] of Object.entries(forms)) {
  const context = await browser.newContext(options);
  const report = await open(context, 'partly/report.html');
  const visible = () => report.locator('details.rule:visible').count();
  const all = await visible();
  assert.ok(all > 300, `${all} rules`);
  await report.screenshot({path: file(`report-${name}.png`)});
  await assertFits(report, 'report');

  const failed = report.locator('button[data-verdict=failed]');
  const total = Number((await failed.textContent()).split(' ')[0]);
  await failed.click();
  assert.equal(await visible(), total);
  assert.equal(await report.locator('details.rule:visible > summary > .failed').count(), total);
  await report.getByLabel('search').fill('HTTP-HEALTH-01');
  assert.equal(await visible(), 1);
  await report.getByLabel('search').fill('');
  await failed.click();
  assert.equal(await visible(), all);
  await report.locator('#areas button.link', {hasText: /^HTTP-HEALTH$/}).click();
  assert.ok(await visible() < 10);
  await report.getByLabel('area').selectOption('');
  await report.getByLabel('level').selectOption('optional');
  assert.ok(await visible() < all);

  const linked = await open(context, 'partly/report.html', '#HTTP-HEALTH-01');
  const rule = linked.locator('#HTTP-HEALTH-01');
  await rule.locator('mark').first().waitFor();
  assert.match(await rule.textContent(), /GET \/v2\/health\/live/);
  await rule.locator('details > summary', {hasText: 'bytes'}).first().click();
  assert.match(await rule.locator('pre.bytes').first().textContent(), /^0000 {2}47 45 54 20/);
  await linked.screenshot({path: file(`failure-${name}.png`)});
  await assertFits(linked, 'failure');

  const matrix = await open(context, 'matrix.html');
  const rows = () => matrix.locator('#rules tbody tr:visible').count();
  const before = await rows();
  const different = matrix.locator('button[data-verdict=different]');
  await different.click();
  assert.equal(await rows(), Number((await different.textContent()).split(' ')[0]));
  assert.ok(await rows() < before);
  await different.click();
  await matrix.locator('#areas button.link', {hasText: /^HTTP-HEALTH$/}).first().click();
  assert.ok(await rows() < 10);
  await matrix.evaluate(() => scrollTo(0, 0));
  await matrix.screenshot({path: file(`matrix-${name}.png`)});
  await assertFits(matrix, 'matrix');
  await context.close();
}
await browser.close();
console.log(`The pages work; screenshots are in ${folder}`);
