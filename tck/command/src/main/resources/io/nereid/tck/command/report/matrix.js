document.title = 'TCK: ' + runs.map(title).join(', ');
const rules = new Map();
for (const run of runs) for (const rule of run.rules) if (!rules.has(rule.id)) rules.set(rule.id, rule);
const byId = runs.map(run => new Map(run.rules.map(rule => [rule.id, rule])));
const verdicts = id => byId.map(found => found.get(id)?.verdict || 'not run');
const differs = id => new Set(verdicts(id)).size > 1;

document.getElementById('head').append(
  make('h1', {}, `${runs.length} runs`),
  ...runs.map(run => make('p', {}, title(run) + ' ', make('span', {class: 'quiet'},
    `${run.start.slice(0, 10)}${run.server.name ? ', ' + run.server.address : ''}`))));

/** How many of a run's rules have each verdict, in a cell. */
function counts(run, area, level) {
  const rules = run.rules.filter(rule => !area || rule.area === area);
  return make('td', {}, ...['passed', 'failed', 'skipped'].map(verdict => {
    const n = count(rules, level, verdict);
    return make('span', {class: n ? verdict : 'quiet', title: verdict}, n ? String(n) : '·');
  }));
}

/** Shows the rules of an area. */
function link(area) {
  return make('button', {class: 'link', type: 'button', onclick: () => {
    filter.setArea(area);
    document.getElementById('filters').scrollIntoView();
  }}, area);
}

function areas(all) {
  const rows = ['', ...new Set(all.map(rule => rule.area))].flatMap(area =>
    ['required', 'optional']
      .filter(level => all.some(rule => (!area || rule.area === area) && rule.level === level))
      .map(level => make('tr', {},
        make('th', {scope: 'row'}, area ? link(area) : 'all', ' ', make('span', {class: 'quiet'}, level)),
        ...runs.map(run => counts(run, area, level)))));
  document.getElementById('areas').append(
    make('thead', {}, make('tr', {}, make('th', {scope: 'col'}, 'area'),
      ...runs.map(run => make('th', {scope: 'col'}, title(run))))),
    make('tbody', {}, ...rows));
}

function cell(run, id) {
  const rule = byId[run].get(id);
  const verdict = rule?.verdict || 'not run';
  const why = rule && (rule.cases.find(c => c.message)?.message || rule.reason);
  return make('td', {class: verdict.replace(' ', '-') + (differs(id) ? ' differs' : '')},
    make('span', {class: 'verdict'}, verdict),
    why ? make('details', {}, make('summary', {class: 'quiet'}, 'why'), make('pre', {}, why)) : '');
}

const all = [...rules.values()];
areas(all);
const rows = new Map(all.map(rule => [rule.id, make('tr', {id: rule.id},
  make('th', {scope: 'row'}, make('a', {href: '#' + rule.id, class: 'id'}, rule.id), make('br'),
    make('span', {}, rule.sentence), ' ', make('span', {class: 'quiet'}, rule.level)),
  ...runs.map((_, i) => cell(i, rule.id)))]));
document.getElementById('rules').append(
  make('thead', {}, make('tr', {}, make('th', {scope: 'col'}, 'rule'),
    ...runs.map(run => make('th', {scope: 'col'}, title(run))))),
  make('tbody', {}, ...rows.values()));
const different = all.filter(rule => differs(rule.id)).length;
const someFailed = rule => verdicts(rule.id).includes('failed');
const filter = filters(all, [['different', different, 'skipped'], ['failed', all.filter(someFailed).length, 'failed']],
  (isShown, chosen) => {
    let shown = 0;
    for (const rule of all) {
      const hidden = !isShown(rule) || (chosen.has('different') && !differs(rule.id))
        || (chosen.has('failed') && !someFailed(rule));
      rows.get(rule.id).hidden = hidden;
      if (!hidden) shown++;
    }
    document.getElementById('count').textContent = `${shown} of ${all.length} rules`;
  });
filter.apply();
