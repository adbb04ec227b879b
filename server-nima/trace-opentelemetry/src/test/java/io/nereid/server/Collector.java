package io.nereid.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A collector's HTTP server, which reads the spans of each request. Source of the numbers of
 * fields: OpenTelemetry, opentelemetry/proto/trace/v1/trace.proto and
 * collector/trace/v1/trace_service.proto.
 */
final class Collector implements AutoCloseable {
  /**
   * A span as it was sent.
   *
   * @param traceId in hexadecimal, as the other identifiers
   * @param parentId empty if there is none
   * @param events names
   */
  record ReceivedSpan(
      String traceId,
      String spanId,
      String parentId,
      String name,
      long startNanos,
      long endNanos,
      List<String> events) {}

  private final HttpServer server;
  private final List<ReceivedSpan> spans = new CopyOnWriteArrayList<>();
  private final List<String> contentTypes = new CopyOnWriteArrayList<>();

  Collector() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/traces", this::receive);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:%d/v1/traces".formatted(server.getAddress().getPort());
  }

  List<ReceivedSpan> spans() {
    return spans;
  }

  List<String> contentTypes() {
    return contentTypes;
  }

  private void receive(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    contentTypes.add(exchange.getRequestHeaders().getFirst("Content-Type"));
    for (UnknownFieldSet resourceSpans : messages(UnknownFieldSet.parseFrom(body), 1)) {
      for (UnknownFieldSet scopeSpans : messages(resourceSpans, 2)) {
        for (UnknownFieldSet span : messages(scopeSpans, 2)) {
          spans.add(span(span));
        }
      }
    }
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  private static ReceivedSpan span(UnknownFieldSet span) throws IOException {
    List<String> events = new ArrayList<>();
    for (UnknownFieldSet event : messages(span, 11)) {
      events.add(bytes(event, 2).toString(StandardCharsets.UTF_8));
    }
    return new ReceivedSpan(
        hex(bytes(span, 1)),
        hex(bytes(span, 2)),
        hex(bytes(span, 4)),
        bytes(span, 5).toString(StandardCharsets.UTF_8),
        span.getField(7).getFixed64List().getFirst(),
        span.getField(8).getFixed64List().getFirst(),
        events);
  }

  private static List<UnknownFieldSet> messages(UnknownFieldSet message, int field)
      throws IOException {
    List<UnknownFieldSet> messages = new ArrayList<>();
    for (ByteString bytes : message.getField(field).getLengthDelimitedList()) {
      messages.add(UnknownFieldSet.parseFrom(bytes));
    }
    return messages;
  }

  private static ByteString bytes(UnknownFieldSet message, int field) {
    List<ByteString> values = message.getField(field).getLengthDelimitedList();
    return values.isEmpty() ? ByteString.EMPTY : Objects.requireNonNull(values.getFirst());
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
