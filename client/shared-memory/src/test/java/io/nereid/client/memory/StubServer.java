package io.nereid.client.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/** A server that answers the calls for regions as a test says, and maps nothing. */
final class StubServer implements AutoCloseable {
  /** Not an answer: the request is left open until the server is closed. */
  static final int NEVER = 0;

  /** A request: the path, and the body. */
  record Asked(String path, String body) {
    boolean is(String name, String what) {
      return path.equals("/v2/systemsharedmemory/region/%s/%s".formatted(name, what));
    }
  }

  private final HttpServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final BlockingQueue<Asked> requests = new LinkedBlockingQueue<>();
  private final Function<Asked, Integer> statuses;

  StubServer(Function<Asked, Integer> statuses) throws IOException {
    this.statuses = statuses;
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(threads);
    http.createContext("/", this::answer);
    http.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    var asked = new Asked(exchange.getRequestURI().getPath(), body);
    requests.add(asked);
    int status = statuses.apply(asked);
    if (status == NEVER) {
      return;
    }
    byte[] answer = (status == 200 ? "{}" : "{\"error\":\"no, for a reason\"}").getBytes(UTF_8);
    exchange.sendResponseHeaders(status, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  String address() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  /** The next request; waits for it. */
  Asked next() throws InterruptedException {
    return requests.take();
  }

  boolean hasMore() {
    return !requests.isEmpty();
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
