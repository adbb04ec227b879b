/** Shapes and numbers of tensors: texts to data, pixels to data. */

/** The types whose data are whole numbers. */
const WHOLE = /^U?INT(8|16|32|64)$/;

/** What people see of a type: its limits are the server's to check. */
export function isText(datatype) {
  return datatype === 'BYTES';
}

export function isWhole(datatype) {
  return WHOLE.test(datatype);
}

/** The number of elements of a shape; null if a dimension is open. */
export function elements(shape) {
  return shape.some(size => size < 0) ? null : shape.reduce((all, size) => all * size, 1);
}

/**
 * The shape of so many elements: dimensions that are open are filled from the outermost with the
 * rows of the text, if they fit, then the last one with what is left.
 */
export function fit(shape, size, rows) {
  const open = shape.flatMap((dim, i) => (dim < 0 ? [i] : []));
  const fixed = shape.reduce((all, dim) => (dim < 0 ? all : all * dim), 1);
  if (open.length === 0) {
    if (size !== fixed) {
      throw new Error(`the shape [${shape}] has ${fixed} elements, and ${size} were given`);
    }
    return shape;
  }
  if (size === 0 || size % fixed !== 0) {
    throw new Error(`the shape [${shape}] has a multiple of ${fixed} elements, and ${size} were given`);
  }
  const free = size / fixed;
  const result = shape.map(dim => (dim < 0 ? 1 : dim));
  if (open.length > 1 && rows > 1 && free % rows === 0) {
    result[open[0]] = rows;
    result[open.at(-1)] = free / rows;
  } else {
    result[open.length > 1 ? open.at(-1) : open[0]] = free;
  }
  return result;
}

/** Reads numbers from a text or a table: rows are lines, columns have tabs, commas or spaces between. */
export function numbers(text, datatype) {
  const rows = text.split(/\r?\n/).map(line => line.trim()).filter(line => line !== '');
  const decimal = isWhole(datatype) || datatype === 'BOOL' ? null : /(?<![^\s;])[+-]?\d+,\d+(?![^\s;])/.exec(text);
  if (decimal !== null) {
    const [word] = decimal;
    throw new Error(`'${word}' may be one number or two: write ${word.replace(',', '.')} or ${word.replace(',', ', ')}`);
  }
  const data = rows.flatMap(line => line.split(/[\s,;]+/).filter(word => word !== '').map(word => one(word, datatype)));
  return {data, rows: rows.length};
}

function one(word, datatype) {
  if (datatype === 'BOOL') {
    if (/^(true|1)$/i.test(word)) {
      return true;
    }
    if (/^(false|0)$/i.test(word)) {
      return false;
    }
    throw new Error(`'${word}' is neither true nor false`);
  }
  if (isWhole(datatype)) {
    if (!/^[+-]?\d+$/.test(word)) {
      throw new Error(`'${word}' is no whole number, and the type is ${datatype}`);
    }
    const value = Number(word);
    if (!Number.isSafeInteger(value)) {
      throw new Error(`'${word}' is too large for a page; numbers up to 2^53 are exact here`);
    }
    return value;
  }
  const value = Number(word);
  if (Number.isNaN(value)) {
    throw new Error(`'${word}' is no number`);
  }
  if (!Number.isFinite(value)) {
    throw new Error(`'${word}' is not finite, and JSON has no such number`);
  }
  return value;
}

/**
 * How a tensor can be a picture: {height, width, channels, order}, sizes -1 where they are open;
 * null if it cannot. The dimensions are those behind the batch's.
 */
export function picture(dims, datatype) {
  if (isText(datatype) || datatype === 'BOOL') {
    return null;
  }
  const isSide = size => size === -1 || size >= 6;
  const isDepth = size => size === 1 || size === 3;
  if (dims.length === 3 && isDepth(dims[0]) && isSide(dims[1]) && isSide(dims[2])) {
    return {channels: dims[0], height: dims[1], width: dims[2], order: 'CHW'};
  }
  if (dims.length === 3 && isDepth(dims[2]) && isSide(dims[0]) && isSide(dims[1])) {
    return {channels: dims[2], height: dims[0], width: dims[1], order: 'HWC'};
  }
  if (dims.length === 2 && isSide(dims[0]) && isSide(dims[1])) {
    return {channels: 1, height: dims[0], width: dims[1], order: 'HW'};
  }
  const side = Math.sqrt(dims.length === 1 ? dims[0] : 0);
  return Number.isInteger(side) && side >= 8 && side <= 64 ? {channels: 1, height: side, width: side, order: 'HW'} : null;
}

/**
 * The data of pixels: value = (pixel / 255 * max - mean) / deviation.
 *
 * @param rgba the bytes of a canvas of that size
 */
export function pixels(rgba, shape, {max, mean, deviation}, datatype) {
  const {width, height, channels, order} = shape;
  const data = new Array(width * height * channels);
  for (let i = 0; i < width * height; i++) {
    const [red, green, blue] = [rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]];
    const values = channels === 1 ? [0.299 * red + 0.587 * green + 0.114 * blue] : [red, green, blue];
    values.forEach((value, channel) => {
      const scaled = (value / 255 * max - mean) / deviation;
      const place = order === 'CHW' ? channel * width * height + i : i * channels + channel;
      data[place] = isWhole(datatype) ? Math.round(scaled) : Number(scaled.toPrecision(6));
    });
  }
  return data;
}

/** Little-endian elements of a file. */
export function binary(buffer, datatype) {
  const types = {
    FP32: [4, 'getFloat32'], FP64: [8, 'getFloat64'], INT8: [1, 'getInt8'], UINT8: [1, 'getUint8'], BOOL: [1, 'getUint8'],
    INT16: [2, 'getInt16'], UINT16: [2, 'getUint16'], INT32: [4, 'getInt32'], UINT32: [4, 'getUint32'],
    INT64: [8, 'getBigInt64'], UINT64: [8, 'getBigUint64'],
  };
  const type = types[datatype];
  if (!type) {
    throw new Error(`the page reads no files of ${datatype}`);
  }
  const [size, get] = type;
  if (buffer.byteLength % size !== 0) {
    throw new Error(`the file has ${buffer.byteLength} bytes, which is no multiple of the ${size} of ${datatype}`);
  }
  const view = new DataView(buffer);
  return Array.from({length: buffer.byteLength / size}, (_, i) => {
    const value = Number(view[get](i * size, true));
    return datatype === 'BOOL' ? value !== 0 : value;
  });
}
