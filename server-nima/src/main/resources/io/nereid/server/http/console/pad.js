/** A pad to draw on, and pictures from files: both become a canvas of a tensor's size. */

import {h} from './dom.js';

const SIZE = 280;

/** The box around what is drawn, or null. */
function box(context, width, height) {
  const {data} = context.getImageData(0, 0, width, height);
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (data[4 * (y * width + x)] > 32) {
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
      }
    }
  }
  return right < 0 ? null : {left, top, width: right - left + 1, height: bottom - top + 1};
}

/** A smaller picture: each pixel is the mean of those that it covers. */
function shrink(source, place, width, height) {
  let canvas = h('canvas');
  canvas.width = place.width;
  canvas.height = place.height;
  const first = canvas.getContext('2d', {willReadFrequently: true});
  first.fillRect(0, 0, place.width, place.height);
  first.drawImage(source, -place.left, -place.top);
  const {data} = first.getImageData(0, 0, place.width, place.height);
  const result = h('canvas');
  result.width = width;
  result.height = height;
  const context = result.getContext('2d', {willReadFrequently: true});
  const image = context.createImageData(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [x0, x1] = [Math.floor(x * place.width / width), Math.max(Math.ceil((x + 1) * place.width / width), 1)];
      const [y0, y1] = [Math.floor(y * place.height / height), Math.max(Math.ceil((y + 1) * place.height / height), 1)];
      let sum = 0;
      for (let v = y0; v < y1; v++) {
        for (let u = x0; u < x1; u++) {
          sum += data[4 * (v * place.width + u)];
        }
      }
      const mean = sum / ((x1 - x0) * (y1 - y0));
      image.data.set([mean, mean, mean, 255], 4 * (y * width + x));
    }
  }
  context.putImageData(image, 0, 0);
  return result;
}

/**
 * A pad. Returns {element, canvas(width, height, fits), clear, isEmpty}: the drawing, white on black, in that
 * size; if it fits, what is drawn fills the picture. changed is called behind each stroke.
 */
export function drawingPad(changed, ratio = 1) {
  const height = Math.min(SIZE, Math.round(SIZE / ratio));
  const width = Math.round(height * ratio);
  const pad = h('canvas', {class: 'pad', role: 'img', 'aria-label': 'Drawing pad, for a pointer; the other kinds of input need none'});
  pad.width = width;
  pad.height = height;
  const context = pad.getContext('2d', {willReadFrequently: true});
  const hint = h('span', {class: 'padhint', 'aria-hidden': 'true'}, 'draw here');
  let last = null;

  function clear() {
    hint.hidden = false;
    context.fillStyle = '#000';
    context.fillRect(0, 0, width, height);
  }

  function place(event) {
    const bounds = pad.getBoundingClientRect();
    return [(event.clientX - bounds.left) * width / bounds.width, (event.clientY - bounds.top) * height / bounds.height];
  }

  function stroke(to) {
    context.strokeStyle = '#fff';
    context.lineWidth = Math.min(width, height) / 11;
    context.lineCap = 'round';
    context.beginPath();
    context.moveTo(...last);
    context.lineTo(...to);
    context.stroke();
    last = to;
  }

  pad.addEventListener('pointerdown', event => {
    pad.setPointerCapture(event.pointerId);
    hint.hidden = true;
    last = place(event);
    stroke(last);
  });
  pad.addEventListener('pointermove', event => {
    if (last !== null) {
      stroke(place(event));
    }
  });
  for (const end of ['pointerup', 'pointercancel']) {
    pad.addEventListener(end, () => {
      if (last !== null) {
        last = null;
        changed();
      }
    });
  }
  clear();
  return {
    element: h('div', {class: 'padbox'}, pad, hint),
    clear: () => {
      clear();
      changed();
    },
    isEmpty: () => box(context, width, height) === null,
    canvas: (toWidth, toHeight, fits) => {
      const drawn = fits ? box(context, width, height) : null;
      if (drawn === null) {
        return shrink(pad, {left: 0, top: 0, width, height}, toWidth, toHeight);
      }
      const side = Math.max(drawn.height, drawn.width * toHeight / toWidth) * 1.02;
      const wide = side * toWidth / toHeight;
      return shrink(pad, {
        left: Math.round(drawn.left + (drawn.width - wide) / 2), top: Math.round(drawn.top + (drawn.height - side) / 2),
        width: Math.round(wide), height: Math.round(side),
      }, toWidth, toHeight);
    },
  };
}

/** A picture of a file in that size; -1 keeps its own. */
export async function pictureFile(file, width, height) {
  const bitmap = await createImageBitmap(file);
  const canvas = h('canvas');
  canvas.width = width > 0 ? width : bitmap.width;
  canvas.height = height > 0 ? height : bitmap.height;
  const context = canvas.getContext('2d', {willReadFrequently: true});
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas;
}
