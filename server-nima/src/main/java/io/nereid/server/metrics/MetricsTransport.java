package io.nereid.server.metrics;

import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.http.limits.Refusal;
import io.nereid.server.security.ServerTls;
import io.nereid.server.telemetry.refusal.Refusals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** {@code /metrics} on a listener of HTTP, in Prometheus' text format. */
public final class MetricsTransport {
  private static final byte[] EMPTY = {};

  private MetricsTransport() {}

  /**
   * Starts to listen.
   *
   * @param tls empty for plain text
   * @throws IOException if the address cannot be bound
   */
  public static HttpListener start(
      ListenerSettings settings, Optional<ServerTls> tls, MetricsPage page) throws IOException {
    return HttpListener.start(
        settings,
        tls,
        new Refusals<>(Refusal.class, settings.name(), System::nanoTime),
        (request, response) -> handle(page, request, response));
  }

  private static void handle(MetricsPage page, HttpRequest request, HttpResponse response)
      throws IOException {
    if (!request.method().equals("GET")) {
      response.status(405).header("Allow", "GET").send(EMPTY);
      return;
    }
    response.header("Content-Type", "text/plain; charset=utf-8");
    String path = request.path();
    boolean isPage = path.equals("/metrics") || path.equals("/metrics/");
    response.send(isPage ? page.text().getBytes(StandardCharsets.UTF_8) : EMPTY);
  }
}
