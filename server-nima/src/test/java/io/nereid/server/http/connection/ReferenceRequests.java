package io.nereid.server.http.connection;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The requests of a connection, found in all of its bytes at once by the grammar of RFC 9112 in
 * regular expressions; to compare what reads a connection piece by piece.
 */
final class ReferenceRequests {
  static final String BAD = "bad request";
  static final String END = "end";

  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
  private static final String TEXT = "[\\t\\x20-\\x7e\\x80-\\xff]*";
  private static final Pattern REQUEST_LINE =
      Pattern.compile("(" + TOKEN + ") ([\\x21-\\x7e]+) HTTP/1\\.([0-9])");
  private static final Pattern FIELD = Pattern.compile("(" + TOKEN + "):(" + TEXT + ")");
  private static final Pattern HOST =
      Pattern.compile(
          "([A-Za-z0-9._~!$&'()*+;=%-]*|\\[[^\\x00- \\]]*\\]([^\\x00- :]*\\])?)(:[0-9]*)?");
  private static final Pattern TRAILER = Pattern.compile(TOKEN + ":.*", Pattern.DOTALL);
  private static final Pattern CHUNK_SIZE =
      Pattern.compile("([0-9a-fA-F]+)[ \\t]*(;" + TEXT + ")?");
  private static final Pattern LENGTH = Pattern.compile("0*[0-9]{1,18}");
  private static final int MAX_EMPTY_LINES = 4;
  private static final int MAX_SIZE_BITS = 59;

  /** Thrown where the bytes end, or are malformed. */
  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stop(String reason) {
      super(reason, null, false, false);
    }
  }

  private final String text;
  private int at;

  private ReferenceRequests(byte[] bytes) {
    this.text = new String(bytes, ISO_8859_1);
  }

  /** Describes each request, and at last why there is no other. */
  static List<String> of(byte[] bytes) {
    var requests = new ReferenceRequests(bytes);
    List<String> described = new ArrayList<>();
    try {
      while (true) {
        described.add(requests.next());
      }
    } catch (Stop stop) {
      described.add(String.valueOf(stop.getMessage()));
    }
    return described;
  }

  static String described(String method, String target, String body) {
    return "%s %s [%s]".formatted(method, target, body);
  }

  private String next() {
    for (int i = 0; i < MAX_EMPTY_LINES && text.startsWith("\r\n", at); i++) {
      at += 2;
    }
    List<String> lines = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      lines.add(line);
    }
    if (lines.isEmpty()) {
      throw new Stop(BAD);
    }
    Matcher requestLine = matched(REQUEST_LINE, lines.getFirst());
    List<Matcher> fields = lines.stream().skip(1).map(line -> matched(FIELD, line)).toList();
    boolean isHttp10 = requestLine.group(3).equals("0");
    List<String> hosts = values(fields, "host");
    require(hosts.size() == 1 || (isHttp10 && hosts.isEmpty()));
    hosts.forEach(host -> matched(HOST, host));
    List<String> expected = values(fields, "expect");
    require(isHttp10 || expected.isEmpty() || expected.equals(List.of("100-continue")));
    return described(requestLine.group(1), requestLine.group(2), body(fields, isHttp10));
  }

  private String body(List<Matcher> fields, boolean isHttp10) {
    List<String> encodings = values(fields, "transfer-encoding");
    List<String> lengths = values(fields, "content-length");
    if (!encodings.isEmpty()) {
      require(!isHttp10 && lengths.isEmpty() && encodings.equals(List.of("chunked")));
      return chunks();
    }
    if (lengths.isEmpty()) {
      return "";
    }
    require(lengths.size() == 1 && LENGTH.matcher(lengths.getFirst()).matches());
    return bytes(Long.parseLong(lengths.getFirst()));
  }

  private String chunks() {
    var body = new StringBuilder();
    while (true) {
      var size = new BigInteger(matched(CHUNK_SIZE, line()).group(1), 16);
      if (size.signum() == 0) {
        break;
      }
      require(size.bitLength() <= MAX_SIZE_BITS);
      body.append(bytes(size.longValue()));
      require(bytes(2).equals("\r\n"));
    }
    for (String trailer = line(); !trailer.isEmpty(); trailer = line()) {
      matched(TRAILER, trailer);
    }
    return body.toString();
  }

  /** The next line, without its end. */
  private String line() {
    int end = text.indexOf('\n', at);
    if (end < 0) {
      throw new Stop(END);
    }
    require(end > at && text.charAt(end - 1) == '\r');
    String line = text.substring(at, end - 1);
    at = end + 1;
    return line;
  }

  private String bytes(long count) {
    if (count > text.length() - at) {
      throw new Stop(END);
    }
    at += (int) count;
    return text.substring(at - (int) count, at);
  }

  private static Matcher matched(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    require(matcher.matches());
    return matcher;
  }

  private static void require(boolean condition) {
    if (!condition) {
      throw new Stop(BAD);
    }
  }

  /** The values of a field, in lower case. */
  private static List<String> values(List<Matcher> fields, String name) {
    return fields.stream()
        .filter(field -> field.group(1).equalsIgnoreCase(name))
        .map(field -> lowerCase(field.group(2).replaceAll("^[ \\t]+|[ \\t]+$", "")))
        .toList();
  }

  /** As ASCII: other letters have no case. */
  private static String lowerCase(String text) {
    var lower = new StringBuilder(text);
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (letter >= 'A' && letter <= 'Z') {
        lower.setCharAt(i, (char) (letter + ('a' - 'A')));
      }
    }
    return lower.toString();
  }
}
