package io.nereid.server.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A fault of a server, and the rule of the TCK that must fail for it: a line of {@code
 * server-faults.tsv}, whose columns are separated by tabs.
 *
 * @param rule the rule's id
 * @param call which calls have the fault, by a part of {@code POST /v2/models/simple/infer} or of
 *     the full name of gRPC's method
 * @param request which of these, by a part of the request; any if it is empty. Over HTTP it is
 *     sought in head and body, over gRPC in the message in protobuf's text format on one line
 * @param change what happens to them
 * @param sentence what is broken, as the server's author would say it
 */
public record Fault(
    String rule, Protocol protocol, Pattern call, Pattern request, Change change, String sentence) {
  /** No call has it. */
  static final Fault NONE =
      new Fault(
          "", Protocol.HTTP, Pattern.compile("(?!)"), Pattern.compile(""), Change.NONE, "nothing");

  private static final int COLUMNS = 6;

  /** Over what the calls come. */
  enum Protocol {
    HTTP,
    GRPC
  }

  /** All faults of the table, in its order. */
  public static List<Fault> all() {
    try (InputStream table = Fault.class.getResourceAsStream("server-faults.tsv")) {
      return new String(Objects.requireNonNull(table).readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(Fault::parse)
          .toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** A fault of a line. */
  static Fault parse(String line) {
    String[] columns = line.split("\t", -1);
    if (columns.length != COLUMNS) {
      throw new IllegalArgumentException("%d columns expected: %s".formatted(COLUMNS, line));
    }
    return new Fault(
        columns[0],
        Protocol.valueOf(columns[1]),
        pattern(columns[2]),
        pattern(columns[3]),
        Change.parse(columns[4]),
        columns[5]);
  }

  static Pattern pattern(String text) {
    return Pattern.compile(text, Pattern.DOTALL);
  }

  /**
   * Whether a call has the fault.
   *
   * @param text the request, made if it is needed
   */
  boolean isOf(Protocol other, String name, Supplier<String> text) {
    return protocol == other
        && call.matcher(name).find()
        && (request.pattern().isEmpty() || request.matcher(text.get()).find());
  }
}
