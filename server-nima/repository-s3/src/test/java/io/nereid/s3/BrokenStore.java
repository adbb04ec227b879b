package io.nereid.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A store with the S3 protocol over HTTP that fails as a test says. Every key has the content of
 * its bucket's path; signatures are not checked. Records requests as {@code GET /key bytes=5-}.
 */
final class BrokenStore implements AutoCloseable {
  private static final int PAGE = 2;

  /** What happens to one request instead of the right response. */
  @FunctionalInterface
  interface Failure {
    void respond(HttpExchange exchange) throws IOException;
  }

  final List<String> requests = new CopyOnWriteArrayList<>();

  private final HttpServer server;
  private final Map<String, byte[]> objects = new TreeMap<>();
  private final Map<String, String> checksums = new TreeMap<>();
  private final Queue<Failure> failures = new ArrayDeque<>();
  private int version = 1;

  BrokenStore() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/bucket", this::handle);
    server.start();
  }

  String location() {
    return "s3://127.0.0.1:%d/bucket".formatted(server.getAddress().getPort());
  }

  synchronized void put(String key, byte[] content) {
    objects.put(key, content.clone());
  }

  /** Has HEAD requests respond with a checksum. */
  synchronized void putChecksum(String key, String header, String value) {
    checksums.put(key, header + " " + value);
  }

  /** Gives all objects other ETags from now on. */
  synchronized void changeTags() {
    version++;
  }

  /** Has the next request for content or a listing fail; may be called several times. */
  synchronized void failNext(Failure failure) {
    failures.add(failure);
  }

  /** Closes the connection of the next request after some bytes of the content. */
  void cutNextAfter(int bytes) {
    failNext(exchange -> {
      byte[] content = part(exchange);
      exchange.sendResponseHeaders(isRange(exchange) ? 206 : 200, content.length);
      exchange.getResponseBody().write(content, 0, bytes);
      exchange.getResponseBody().flush();
      exchange.close();
    });
  }

  /** Responds to the next request with an error. */
  void rejectNext(int status, String code) {
    failNext(exchange ->
        send(
            exchange,
            status,
            "<Error><Code>%s</Code><Message>text of %s</Message></Error>".formatted(code, code)));
  }

  private synchronized void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String range = exchange.getRequestHeaders().getFirst("Range");
      String query = exchange.getRequestURI().getRawQuery();
      requests.add(
          exchange.getRequestMethod()
              + " "
              + (query == null ? key(exchange) : "list")
              + (range == null ? "" : " " + range));
      boolean head = exchange.getRequestMethod().equals("HEAD");
      Failure failure = head ? null : failures.poll();
      if (query == null) {
        exchange.getResponseHeaders().set("ETag", tag());
        setRange(exchange);
      }
      if (failure != null) {
        failure.respond(exchange);
      } else if (query != null && query.contains("list-type=2")) {
        list(exchange, query);
      } else if (!isMatch(exchange)) {
        send(exchange, 412, head ? "" : "<Error><Code>PreconditionFailed</Code></Error>");
      } else if (head) {
        String[] checksum = checksums.getOrDefault(key(exchange), "x-none none").split(" ", 2);
        exchange.getResponseHeaders().set(checksum[0], checksum[1]);
        exchange.sendResponseHeaders(200, -1);
      } else {
        byte[] content = part(exchange);
        exchange.sendResponseHeaders(isRange(exchange) ? 206 : 200, content.length);
        try (OutputStream body = exchange.getResponseBody()) {
          body.write(content);
        }
      }
    }
  }

  private boolean isMatch(HttpExchange exchange) {
    String expected = exchange.getRequestHeaders().getFirst("If-Match");
    return expected == null || expected.equals(tag());
  }

  private String tag() {
    return "\"v%d\"".formatted(version);
  }

  private static boolean isRange(HttpExchange exchange) {
    return exchange.getRequestHeaders().containsKey("Range");
  }

  private static int offset(HttpExchange exchange) {
    String range = exchange.getRequestHeaders().getFirst("Range");
    return range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
  }

  private void setRange(HttpExchange exchange) {
    if (isRange(exchange)) {
      int length = content(exchange).length;
      exchange
          .getResponseHeaders()
          .set("Content-Range", "bytes %d-%d/%d".formatted(offset(exchange), length - 1, length));
    }
  }

  private static String key(HttpExchange exchange) {
    return exchange.getRequestURI().getPath().substring("/bucket/".length());
  }

  private byte[] content(HttpExchange exchange) {
    return objects.getOrDefault(key(exchange), new byte[0]);
  }

  private byte[] part(HttpExchange exchange) {
    byte[] content = content(exchange);
    return Arrays.copyOfRange(content, offset(exchange), content.length);
  }

  private void list(HttpExchange exchange, String query) throws IOException {
    String after = query.replaceAll(".*continuation-token=([^&]*).*", "$1");
    var page = new StringBuilder("<ListBucketResult><EncodingType>url</EncodingType>");
    List<String> keys =
        objects.keySet().stream()
            .filter(key -> query.equals(after) || key.compareTo(after.replace("%2F", "/")) > 0)
            .toList();
    for (String key : keys.subList(0, Math.min(PAGE, keys.size()))) {
      page.append(
          "<Contents><Key>%s</Key><ETag>&quot;v%d&quot;</ETag><Size>%d</Size></Contents>"
              .formatted(key, version, objects.getOrDefault(key, new byte[0]).length));
    }
    if (keys.size() > PAGE) {
      page.append(
          "<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>"
              .formatted(keys.get(PAGE - 1)));
    }
    send(exchange, 200, page.append("</ListBucketResult>").toString());
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/xml");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
