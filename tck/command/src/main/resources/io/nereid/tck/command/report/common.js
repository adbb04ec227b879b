'use strict';
const runs = JSON.parse(document.getElementById('data').textContent);
const VERDICTS = ['failed', 'skipped', 'passed', 'untested'];

/** An element with attributes and children, which are elements or text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'onclick') element.addEventListener('click', value);
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function title(run) {
  return [run.server.name || run.server.address, run.server.version].filter(Boolean).join(' ');
}

function count(rules, level, verdict) {
  return rules.filter(r => (!level || r.level === level) && r.verdict === verdict).length;
}

/** Buttons of verdicts, a list of levels, one of areas and a text; calls show with a predicate. */
function filters(rules, verdicts, show) {
  const form = document.getElementById('filters');
  const chosen = new Set();
  const select = (name, values) => make('select', {'aria-label': name},
    make('option', {value: ''}, 'all ' + name + 's'), ...values.map(v => make('option', {}, v)));
  const level = select('level', [...new Set(rules.map(r => r.level))]);
  const area = select('area', [...new Set(rules.map(r => r.area))]);
  const text = make('input', {type: 'search', placeholder: 'id, words or source', 'aria-label': 'search'});
  const buttons = verdicts.map(([name, total, style]) => {
    const button = make('button', {type: 'button', class: style, 'aria-pressed': 'false', 'data-verdict': name},
      `${total} ${name}`);
    button.addEventListener('click', () => {
      if (!chosen.delete(name)) chosen.add(name);
      button.setAttribute('aria-pressed', String(chosen.has(name)));
      apply();
    });
    return button;
  });
  function apply() {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    show(rule => {
      const all = `${rule.id} ${rule.sentence} ${rule.source}`.toLowerCase();
      return (!level.value || rule.level === level.value)
        && (!area.value || rule.area === area.value)
        && words.every(word => all.includes(word));
    }, chosen);
  }
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('input', apply);
  form.append(...buttons, level, area, text);
  return {
    apply,
    setArea(name) { area.value = name; apply(); },
    clear() {
      chosen.clear();
      buttons.forEach(button => button.setAttribute('aria-pressed', 'false'));
      level.value = area.value = text.value = '';
      apply();
    },
  };
}
