/** The form of one input: each kind of it makes {shape, data}, or throws a sentence. */

import {field, h, name, tabs} from './dom.js';
import {drawingPad, pictureFile} from './pad.js';
import {binary, elements, fit, isText, isWhole, numbers, picture, pixels} from './tensors.js';

/** Larger tensors make a page slow; a program sends them better. */
const MOST = 4_000_000;

function whole(shape, batches) {
  return batches ? shape.slice(1) : shape;
}

function texts(spec, batches, changed) {
  const area = h('textarea', {rows: 4, spellcheck: 'false', oninput: changed, value: 'Hello, sea.'});
  const lines = h('input', {type: 'checkbox', onchange: changed});
  return {
    id: 'text', label: 'Text',
    element: h('div', {}, field('Text', area), h('label', {class: 'check'}, lines, ' each line is an element')),
    read: () => {
      const data = lines.checked ? area.value.split(/\r?\n/).filter(line => line !== '') : [area.value];
      return {shape: fit(spec.shape, data.length, data.length), data};
    },
  };
}

function samples(spec, batches) {
  const shape = spec.shape.map((dim, i) => (dim > 0 ? dim : batches && i === 0 ? 1 : 4));
  const size = elements(shape);
  const row = shape.length === 0 ? 1 : shape.at(-1);
  return {size, row};
}

/** A request of the smallest kind that a model takes, of zeros and of short texts. */
export function exampleRequest(metadata, batches) {
  return metadata.inputs.map(spec => {
    const shape = spec.shape.map((dim, i) => (dim > 0 ? dim : batches && i === 0 ? 1 : 4));
    const value = isText(spec.datatype) ? 'example' : spec.datatype === 'BOOL' ? false : 0;
    return {name: spec.name, datatype: spec.datatype, shape, data: new Array(elements(shape)).fill(value)};
  });
}

function typed(spec, batches, changed) {
  const {size, row} = samples(spec, batches);
  const area = h('textarea', {rows: 5, spellcheck: 'false', class: 'mono', oninput: changed});
  const set = value => {
    const data = Array.from({length: Math.min(size, 4096)}, (_, i) => value(i));
    const rows = [];
    for (let i = 0; i < data.length; i += row) {
      rows.push(data.slice(i, i + row).join(' '));
    }
    area.value = rows.join('\n');
    changed();
  };
  const random = () => (isWhole(spec.datatype) ? Math.floor(Math.random() * 100) : Math.random().toFixed(3));
  set(i => (spec.datatype === 'BOOL' ? i % 2 : i + 1));
  return {
    id: 'numbers', label: 'Numbers or a table',
    element: h('div', {},
      field('Numbers', area, 'Spaces, commas or tabs between them; a table from a spreadsheet can be pasted, a row is a line.'),
      h('div', {class: 'row'},
        h('button', {type: 'button', class: 'quiet', onclick: () => set(() => 0)}, 'Zeros'),
        h('button', {type: 'button', class: 'quiet', onclick: () => set(random)}, 'Random'))),
    read: () => {
      const {data, rows} = numbers(area.value, spec.datatype);
      return {shape: fit(spec.shape, data.length, rows), data};
    },
  };
}

function fromFile(spec, changed) {
  const chooser = h('input', {type: 'file', onchange: load});
  const said = h('p', {class: 'muted'}, isText(spec.datatype)
    ? 'The file’s text is one element.' : 'Little-endian elements, or text with numbers (.txt, .csv, .tsv).');
  let data = null;
  let rows = 1;
  async function load() {
    const [file] = chooser.files;
    data = null;
    if (file) {
      try {
        if (isText(spec.datatype)) {
          data = [await file.text()];
        } else if (/\.(txt|csv|tsv)$/i.test(file.name)) {
          ({data, rows} = numbers(await file.text(), spec.datatype));
        } else {
          data = binary(await file.arrayBuffer(), spec.datatype);
        }
        said.textContent = `${data.length} ${data.length === 1 ? 'element' : 'elements'} of ${file.name}`;
      } catch (failed) {
        said.textContent = failed.message;
      }
    }
    changed();
  }
  return {
    id: 'file', label: 'File',
    element: h('div', {}, field('File', chooser), said),
    read: () => {
      if (data === null) {
        throw new Error('choose a file');
      }
      return {shape: fit(spec.shape, data.length, rows), data};
    },
  };
}

/** How pixels become numbers; the defaults are guesses, which the user sees. */
function scaling(spec, shape, changed) {
  const small = shape.width === 8 && shape.height === 8; // as in the digits of UCI, which go to 16
  const number = value => h('input', {type: 'number', step: 'any', value: String(value), oninput: changed});
  const [max, mean, deviation] = [number(small ? 16 : isWhole(spec.datatype) ? 255 : 1), number(0), number(1)];
  const [width, height] = [number(shape.width > 0 ? shape.width : 64), number(shape.height > 0 ? shape.height : 32)];
  const isOpen = shape.width < 0 || shape.height < 0;
  return {
    element: h('details', {class: 'scaling'}, h('summary', {}, 'Size and scale of pixels'), h('div', {class: 'row'},
      ...(isOpen ? [field('Width', width), field('Height', height)] : []),
      field('White is', max), field('Mean', mean), field('Deviation', deviation))),
    read: () => ({max: Number(max.value), mean: Number(mean.value), deviation: Number(deviation.value) || 1}),
    shape: () => ({...shape, width: Math.max(1, Math.round(Number(width.value))), height: Math.max(1, Math.round(Number(height.value)))}),
  };
}

function pictureShape(spec, batches, {width, height, channels, order}) {
  const dims = whole(spec.shape, batches);
  const shape = dims.length === 1 ? dims : order === 'CHW' ? [channels, height, width] : order === 'HWC' ? [height, width, channels] : [height, width];
  return batches ? [1, ...shape] : shape;
}

function fromCanvas(spec, batches, canvas, shape, scale, preview) {
  const context = canvas.getContext('2d', {willReadFrequently: true});
  const {width, height} = canvas;
  preview.width = width;
  preview.height = height;
  preview.getContext('2d').drawImage(canvas, 0, 0);
  const sized = {...shape, width, height};
  const data = pixels(context.getImageData(0, 0, width, height).data, sized, scale, spec.datatype);
  return {shape: pictureShape(spec, batches, sized), data};
}

function drawn(spec, batches, shape, changed) {
  const scale = scaling(spec, shape, changed);
  const sized = scale.shape();
  const pad = drawingPad(() => changed('stroke'), sized.width / sized.height);
  const fits = h('input', {type: 'checkbox', checked: shape.width > 0, onchange: () => changed()});
  const preview = h('canvas', {class: 'preview', 'aria-hidden': 'true'});
  return {
    id: 'draw', label: 'Draw',
    element: h('div', {},
      h('div', {class: 'padrow'}, pad.element, h('figure', {}, preview, h('figcaption', {class: 'muted'}, 'what the model sees'))),
      h('div', {class: 'row'}, h('button', {type: 'button', class: 'quiet', onclick: pad.clear}, 'Clear'),
        h('label', {class: 'check'}, fits, ' fill the picture')),
      scale.element),
    isEmpty: pad.isEmpty,
    read: () => {
      const to = scale.shape();
      const made = fromCanvas(spec, batches, pad.canvas(to.width, to.height, fits.checked), shape, scale.read(), preview);
      if (pad.isEmpty()) {
        throw new Error('draw something first');
      }
      return made;
    },
  };
}

function image(spec, batches, shape, changed) {
  const scale = scaling(spec, shape, changed);
  const preview = h('canvas', {class: 'preview large', 'aria-hidden': 'true'});
  const said = h('p', {class: 'muted'}, 'It is resized into the shape of the input.');
  let canvas = null;
  const chooser = h('input', {
    type: 'file', accept: 'image/*',
    onchange: async () => {
      const [file] = chooser.files;
      try {
        canvas = file ? await pictureFile(file, shape.width, shape.height) : null;
        said.textContent = canvas === null ? '' : `${canvas.width} × ${canvas.height} pixels`;
      } catch {
        canvas = null;
        said.textContent = 'The browser cannot read this picture.';
      }
      changed('stroke');
    },
  });
  return {
    id: 'image', label: 'Image',
    element: h('div', {}, field('Image', chooser), said, preview, scale.element),
    isEmpty: () => canvas === null,
    read: () => {
      if (canvas === null) {
        throw new Error('choose an image');
      }
      return fromCanvas(spec, batches, canvas, shape, scale.read(), preview);
    },
  };
}

/**
 * The form of an input.
 *
 * @param spec {name, datatype, shape} of the metadata
 * @param batches whether the first dimension is that of batches
 * @param changed called when something else would be read; with 'stroke' once a picture is there
 */
export function inputForm(spec, batches, changed) {
  const shape = picture(whole(spec.shape, batches), spec.datatype);
  const kinds = isText(spec.datatype) ? [texts(spec, batches, changed), fromFile(spec, changed)]
    : [...(shape === null ? [] : shape.channels === 1 ? [drawn(spec, batches, shape, changed), image(spec, batches, shape, changed)] : [image(spec, batches, shape, changed), drawn(spec, batches, shape, changed)]),
      typed(spec, batches, changed), fromFile(spec, changed)];
  const dims = whole(spec.shape, batches);
  const isFlat = shape !== null && dims.length === 1;
  let chosen = isFlat ? kinds.find(kind => kind.id === 'numbers') : kinds[0];
  const choices = tabs(`Kind of input ${spec.name}`, kinds.map(kind => ({
    ...kind,
    content: () => kind.element,
  })), chosen.id);
  choices.addEventListener('click', event => {
    const kind = kinds.find(each => each.label === event.target.textContent);
    if (kind && event.target.getAttribute('aria-pressed') !== null) {
      chosen = kind;
      changed();
    }
  });
  const element = h('fieldset', {class: 'card input'},
    h('legend', {}, name(spec.name), h('span', {class: 'muted'}, ` ${spec.datatype} [${spec.shape.join(', ')}]`)), choices);
  return {
    element,
    isPicture: () => chosen.isEmpty !== undefined,
    isEmpty: () => chosen.isEmpty?.() ?? false,
    read: () => {
      const {shape: made, data} = chosen.read();
      if (data.length > MOST) {
        throw new Error(`${data.length} elements are too many for a page`);
      }
      return {name: spec.name, shape: made, datatype: spec.datatype, data};
    },
  };
}
