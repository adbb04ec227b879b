/** Where the values of a configuration came from: the line of the file that states each, or the server. */

function isScalar(value) {
  return typeof value !== 'object' || value === null;
}

/** Whether a value says nothing: that of a field that is not set. */
function isEmpty(value) {
  return isScalar(value) ? ['', 0, '0', false, null].includes(value) : Object.values(value).every(isEmpty);
}

/** The path of a member of a message, or of the value of an entry of a map. */
function member(path, key, lines) {
  const entry = `${path}["${key}"].value`;
  return entry in lines ? entry : `${path}.${key}`;
}

/**
 * The values within a setting that say something or that the file states: [{path, value, line}]. A
 * list of numbers or texts is one value; line is null if the server has set it.
 *
 * @param lines such as "config.pbtxt, line 6", by path
 */
export function values(path, value, lines) {
  if (isScalar(value) || (Array.isArray(value) && value.every(isScalar))) {
    const line = lines[path] ?? null;
    return line === null && isEmpty(value) ? [] : [{path, value, line}];
  }
  const found = Array.isArray(value)
    ? value.flatMap((each, i) => values(`${path}[${i}]`, each, lines))
    : Object.entries(value).flatMap(([key, each]) => values(member(path, key, lines), each, lines));
  return found.length === 0 && path in lines ? [{path, value: '{ }', line: lines[path]}] : found;
}
