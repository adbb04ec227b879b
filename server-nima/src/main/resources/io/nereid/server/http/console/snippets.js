/** A request as a program would send it: curl, Python, Java. */

/** A body that is longer is read from a file in the snippet. */
const LONG = 2000;

/** In single quotes of a shell. */
function shell(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A literal of Python and of Java: JSON's is one of both, but for what it need not escape. */
function literal(text) {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whether a body belongs into a file. */
export function isLong(body) {
  return body.length > LONG;
}

export function curl(url, body, headers) {
  const fields = ['Content-Type: application/json', ...headers.map(header => `${header}: <key>`)];
  return [`curl ${shell(url)}`, ...fields.map(each => `  -H ${shell(each)}`),
    `  -d ${isLong(body) ? '@request.json' : shell(body)}`].join(' \\\n');
}

export function python(url, body, headers) {
  const fields = ['"Content-Type": "application/json"', ...headers.map(header => `${literal(header)}: "<key>"`)];
  return [
    'import json', 'import urllib.request', '',
    isLong(body) ? 'body = open("request.json", "rb").read()' : `body = ${literal(body)}.encode()`,
    'request = urllib.request.Request(', `    ${literal(url)},`, '    data=body,', `    headers={${fields.join(', ')}},`, ')',
    'with urllib.request.urlopen(request) as response:',
    url.endsWith('_stream') ? '    for line in response:\n        print(line.decode().rstrip())' : '    print(json.load(response))',
  ].join('\n');
}

export function java(url, body, headers) {
  return [
    'import java.net.URI;', 'import java.net.http.HttpClient;', 'import java.net.http.HttpRequest;',
    'import java.net.http.HttpRequest.BodyPublishers;', 'import java.net.http.HttpResponse.BodyHandlers;',
    ...(isLong(body) ? ['import java.nio.file.Path;'] : []), '',
    'void main() throws Exception {', '  var request =', `      HttpRequest.newBuilder(URI.create(${literal(url)}))`,
    '          .header("Content-Type", "application/json")',
    ...headers.map(header => `          .header(${literal(header)}, "<key>")`),
    `          .POST(${isLong(body) ? 'BodyPublishers.ofFile(Path.of("request.json"))' : `BodyPublishers.ofString(${literal(body)})`})`,
    '          .build();',
    '  try (var client = HttpClient.newHttpClient()) {',
    '    System.out.println(client.send(request, BodyHandlers.ofString()).body());', '  }', '}',
  ].join('\n');
}
