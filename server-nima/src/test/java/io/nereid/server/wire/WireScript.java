package io.nereid.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.server.wire.WireStep.Closed;
import io.nereid.server.wire.WireStep.Expectation;
import io.nereid.server.wire.WireStep.HalfClose;
import io.nereid.server.wire.WireStep.Open;
import io.nereid.server.wire.WireStep.Receive;
import io.nereid.server.wire.WireStep.Send;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An exchange over one connection. A file has many, each below its title:
 *
 * <pre>
 * ## closes the connection of a client that asks for it
 * # RFC 9112, 9.6
 * > GET /v2/health/live HTTP/1.1
 * > Host: x
 * > Connection: close
 * >
 * < 200
 * < Connection: close
 * closed
 * </pre>
 *
 * <table>
 * <caption>The lines of a file</caption>
 * <tr><td>{@code > text}<td>the client sends the text and CRLF
 * <tr><td>{@code >> text}<td>the client sends the text
 * <tr><td>{@code half-close}<td>the client sends nothing more
 * <tr><td>{@code < 200}<td>the server responds with this status, and a body of the length that it states
 * <tr><td>{@code < 200 head}<td>the same, without the body
 * <tr><td>{@code < Name: value}<td>that response has the header; without a value, it has any
 * <tr><td>{@code < !Name}<td>it lacks the header
 * <tr><td>{@code << text}<td>its body contains the text
 * <tr><td>{@code closed}<td>nothing more is received, and the connection ends
 * <tr><td>{@code open}<td>nothing more is received, and another request is answered
 * </table>
 *
 * <p>A text may have {@code \r \n \t \\}, {@code \xHH} and <code>${text*count}</code>.
 */
public record WireScript(String title, List<WireStep> steps) {
  private static final Pattern REPETITION = Pattern.compile("\\$\\{(.*?)\\*(\\d+)}");
  private static final Pattern ESCAPE = Pattern.compile("\\\\(x[0-9A-F]{2}|[rnt\\\\])");
  private static final Pattern STATUS = Pattern.compile("(\\d{3})( head)?");

  public WireScript {
    steps = List.copyOf(steps);
  }

  /** All exchanges of a resource. */
  public static List<WireScript> read(String resource) {
    String text;
    try (InputStream stream = WireScript.class.getResourceAsStream(resource)) {
      text = new String(Objects.requireNonNull(stream, resource).readAllBytes(), UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    List<WireScript> scripts = new ArrayList<>();
    for (String section : text.split("(?m)^## ", -1)) {
      if (!section.startsWith("#") && !section.isBlank()) {
        scripts.add(parse(section.lines().toList()));
      }
    }
    return scripts;
  }

  /** The number of bytes that the client sends. */
  public long byteSize() {
    return steps.stream()
        .mapToLong(step -> step instanceof Send send ? send.bytes().length() : 0)
        .sum();
  }

  private static WireScript parse(List<String> lines) {
    List<WireStep> steps = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith(">")) {
        send(steps, line.startsWith(">> ") ? text(line, 3) : text(line, 2) + "\r\n");
      } else if (line.startsWith("<")) {
        receive(steps, line);
      } else {
        steps.add(
            switch (line) {
              case "half-close" -> new HalfClose();
              case "closed" -> new Closed();
              case "open" -> new Open();
              default -> throw new IllegalArgumentException("no such line: " + line);
            });
      }
    }
    return new WireScript(lines.getFirst(), steps);
  }

  /** Adds bytes to send; those of lines that follow each other are sent together. */
  private static void send(List<WireStep> steps, String bytes) {
    if (!steps.isEmpty() && steps.getLast() instanceof Send(String before)) {
      steps.removeLast();
      steps.add(new Send(before + bytes));
    } else {
      steps.add(new Send(bytes));
    }
  }

  /** Adds a response, or an expectation of the last one. */
  private static void receive(List<WireStep> steps, String line) {
    var status = STATUS.matcher(line.substring(2));
    if (status.matches()) {
      steps.add(new Receive(Integer.parseInt(status.group(1)), status.group(2) == null, List.of()));
      return;
    }
    if (!(steps.removeLast() instanceof Receive(int code, boolean body, var before))) {
      throw new IllegalArgumentException("no response for: " + line);
    }
    List<Expectation> expectations = new ArrayList<>(before);
    expectations.add(expectation(line));
    steps.add(new Receive(code, body, List.copyOf(expectations)));
  }

  private static Expectation expectation(String line) {
    if (line.startsWith("<< ")) {
      return new Expectation.BodyContains(text(line, 3));
    }
    if (line.startsWith("< !")) {
      return new Expectation.NoHeader(line.substring(3));
    }
    int colon = line.indexOf(':');
    return new Expectation.Header(line.substring(2, colon), line.substring(colon + 1).strip());
  }

  private static String text(String line, int start) {
    String escaped = line.substring(Math.min(start, line.length()));
    String repeated =
        REPETITION
            .matcher(escaped)
            .replaceAll(match ->
                Matcher.quoteReplacement(match.group(1).repeat(Integer.parseInt(match.group(2)))));
    return ESCAPE.matcher(repeated).replaceAll(match -> Matcher.quoteReplacement(unescape(match)));
  }

  private static String unescape(MatchResult match) {
    String escape = match.group(1);
    return switch (escape.charAt(0)) {
      case 'r' -> "\r";
      case 'n' -> "\n";
      case 't' -> "\t";
      case 'x' -> String.valueOf((char) Integer.parseInt(escape.substring(1), 16));
      default -> "\\";
    };
  }
}
