const run = runs[0];
document.title = `TCK: ${title(run)}`;

function seconds(millis) {
  return millis < 1000 ? `${millis} ms` : `${(millis / 1000).toFixed(1)} s`;
}

function head() {
  const verdict = make('p', {class: 'verdict ' + (run.conforms ? 'passed' : 'failed')},
    run.sentence);
  document.getElementById('head').append(
    make('h1', {}, title(run)), verdict,
    make('p', {class: 'quiet'}, `${run.server.address}, ${run.start.replace('T', ' ').slice(0, 16)} UTC, `
      + `${seconds(run.millis)}, kit ${run.kit}`));
  if (run.server.extensions.length) {
    document.getElementById('head').append(
      make('p', {class: 'quiet'}, 'Extensions: ' + run.server.extensions.join(', ')));
  }
}

function areas(filter) {
  const table = document.getElementById('areas');
  const number = (rules, level, verdict) => {
    const n = count(rules, level, verdict);
    return make('td', n ? {class: verdict} : {class: 'quiet'}, n ? String(n) : '·');
  };
  const row = (name, rules) => {
    const bar = make('div', {class: 'bar', 'aria-hidden': 'true'});
    for (const verdict of ['passed', 'skipped', 'failed']) {
      const share = make('span', {class: verdict});
      share.style.flex = String(count(rules, '', verdict));
      bar.append(share);
    }
    return make('tr', {}, make('td', {}, name), make('td', {}, bar),
      ...['required', 'optional'].flatMap(level =>
        ['passed', 'failed', 'skipped'].map(verdict => number(rules, level, verdict))),
      number(rules, 'untested', 'untested'));
  };
  const header = names => make('tr', {}, ...names.map(([name, span]) =>
    make('th', {scope: 'col', colspan: span || false}, name)));
  table.append(
    make('thead', {},
      header([[''], [''], ['required', 3], ['optional', 3], ['']]),
      header([['area'], [''], ['passed'], ['failed'], ['skipped'], ['passed'], ['failed'], ['skipped'], ['untested']])),
    make('tbody', {},
      row('all', run.rules),
      ...[...new Set(run.rules.map(r => r.area))].map(area => row(
        make('button', {class: 'link', type: 'button', onclick: () => {
          filter.setArea(area);
          document.getElementById('filters').scrollIntoView();
        }}, area),
        run.rules.filter(r => r.area === area)))));
}

/** The bytes of a message, which are Base64. */
function bytes(message) {
  return Uint8Array.from(atob(message.bytes), c => c.charCodeAt(0));
}

/** Bytes as a dump: offset, 16 in hexadecimal, and as ASCII. */
function dump(data) {
  const lines = [];
  for (let i = 0; i < data.length; i += 16) {
    const part = [...data.subarray(i, i + 16)];
    const hex = part.map(b => b.toString(16).padStart(2, '0')).join(' ').padEnd(47);
    const ascii = part.map(b => b >= 32 && b < 127 ? String.fromCharCode(b) : '.').join('');
    lines.push(`${i.toString(16).padStart(4, '0')}  ${hex}  ${ascii}`);
  }
  return lines.join('\n');
}

/** What a message says: of gRPC in protobuf's text format, unless it is too large; HTTP is text itself. */
function textOf(m, data) {
  if (m.text) return m.text;
  if (/^\w+$/.test(m.call)) return m.size ? 'too large to be shown as text' : 'nothing';
  const text = new TextDecoder().decode(data).replace(/[\u0000-\u0008\u000e-\u001f]/g, '·').trimEnd();
  return text || 'nothing';
}

function message(m) {
  const data = bytes(m);
  const size = data.length < m.size ? `, the first ${data.length} of ${m.size} bytes` : m.size ? `, ${m.size} bytes` : '';
  const parts = [make('h4', {}, `${m.sent ? '→' : '←'} ${m.call}${size}`),
    make('pre', {}, textOf(m, data))];
  if (data.length) {
    const shown = make('pre', {class: 'bytes'});
    const details = make('details', {}, make('summary', {class: 'quiet'}, 'bytes'), shown);
    details.addEventListener('toggle', () => { if (!shown.textContent) shown.textContent = dump(data); });
    parts.push(details);
  }
  return parts;
}

/** Two texts, with what differs between a common begin and a common end marked. */
function difference(expected, actual) {
  const limit = Math.min(expected.length, actual.length);
  let begin = 0;
  while (begin < limit && expected[begin] === actual[begin]) begin++;
  let end = 0;
  while (end < limit - begin && expected[expected.length - 1 - end] === actual[actual.length - 1 - end]) end++;
  const shown = text => {
    const marked = text.slice(begin, text.length - end);
    return make('pre', {}, text.slice(0, begin), marked && make('mark', {}, marked), text.slice(text.length - end));
  };
  return [make('h4', {}, 'expected'), shown(expected), make('h4', {}, 'got'), shown(actual)];
}

function caseOf(c) {
  const element = make('div', {class: 'case' + (c.verdict === 'failed' ? ' is-failed' : '')},
    make('h3', {}, c.name, ' ', make('span', {class: c.verdict}, c.verdict),
      c.millis ? make('span', {class: 'quiet'}, ' ' + seconds(c.millis)) : ''));
  if (c.reason) element.append(make('p', {}, c.reason));
  if (c.message) {
    const isCompared = c.expected !== c.actual;
    if (!isCompared || c.message.startsWith('[')) element.append(make('pre', {}, c.message));
    if (isCompared) element.append(...difference(c.expected, c.actual));
    if (c.place) element.append(make('p', {class: 'quiet'}, 'The test: ' + c.place));
  }
  if (c.omitted && c.verdict === 'failed') {
    element.append(make('p', {class: 'quiet'}, `${c.omitted} messages before these`));
  }
  for (const m of c.messages || []) element.append(...message(m));
  return element;
}

function fill(body, rule) {
  const entry = (name, value) => [make('dt', {}, name), make('dd', {}, value)];
  body.append(make('dl', {}, ...entry('level', rule.level), ...entry('source', rule.source),
    ...(rule.reason ? entry(rule.verdict, rule.reason) : []),
    ...entry('link', make('a', {href: '#' + rule.id}, '#' + rule.id))));
  const order = c => VERDICTS.indexOf(c.verdict);
  [...rule.cases].sort((a, b) => order(a) - order(b)).forEach(c => body.append(caseOf(c)));
}

function element(rule) {
  const body = make('div', {class: 'body'});
  const details = make('details', {class: 'rule', id: rule.id},
    make('summary', {}, make('span', {class: 'id'}, rule.id),
      make('span', {class: 'verdict ' + rule.verdict}, rule.verdict), make('span', {}, rule.sentence)), body);
  const open = () => { if (details.open && !body.firstChild) fill(body, rule); };
  details.addEventListener('toggle', open);
  return details;
}

const elements = new Map(run.rules.map(rule => [rule.id, element(rule)]));
document.getElementById('rules').append(
  ...[...run.rules].sort((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict))
    .map(rule => elements.get(rule.id)));
const filter = filters(run.rules, VERDICTS.map(v => [v, count(run.rules, '', v), v]), (isShown, chosen) => {
  let shown = 0;
  for (const rule of run.rules) {
    const hidden = !isShown(rule) || (chosen.size > 0 && !chosen.has(rule.verdict));
    elements.get(rule.id).hidden = hidden;
    if (!hidden) shown++;
  }
  document.getElementById('count').textContent = `${shown} of ${run.rules.length} rules`;
});

/** Opens the rule that the address names. */
function follow() {
  const named = elements.get(decodeURIComponent(location.hash.slice(1)));
  if (named) {
    if (named.hidden) filter.clear();
    named.open = true;
    named.scrollIntoView();
  }
}

head();
areas(filter);
filter.apply();
window.addEventListener('hashchange', follow);
follow();
