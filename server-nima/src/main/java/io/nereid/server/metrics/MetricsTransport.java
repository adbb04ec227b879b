package io.nereid.server.metrics;

import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.metrics.exposition.ExpositionFormat;
import io.nereid.server.security.ServerTls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** {@code /metrics} on a listener of HTTP, in the format that the client asks for. */
public final class MetricsTransport {
  private static final byte[] EMPTY = {};
  private static final byte[] NOT_ALLOWED =
      "{\"error\":\"Method Not Allowed\"}".getBytes(StandardCharsets.UTF_8);

  /** The coding by its name, unless the client refuses it. */
  private static final Pattern ACCEPTS_GZIP =
      Pattern.compile("(?i)(^|[ ,])gzip *($|,|; *q=(1|0\\.0*[1-9]))");

  private MetricsTransport() {}

  /**
   * A listener that is to start.
   *
   * @param tls empty for plain text
   */
  public static HttpListener listener(
      ListenerSettings settings, Optional<ServerTls> tls, MetricsPage page) {
    Map<ExpositionFormat, Pages> pages = new EnumMap<>(ExpositionFormat.class);
    for (ExpositionFormat format : ExpositionFormat.values()) {
      pages.put(format, Pages.of(() -> page.bytes(format)));
    }
    return HttpListener.of(
        settings,
        tls,
        new Refusals<>(HttpRefusal.class, settings.name(), System::nanoTime),
        (request, response) -> handle(pages, request, response));
  }

  /** A page in one format. */
  private record Pages(SharedPage plain, SharedPage gzip) {
    static Pages of(Supplier<byte[]> page) {
      return new Pages(new SharedPage(page), new SharedPage(() -> compressed(page.get())));
    }
  }

  private static void handle(
      Map<ExpositionFormat, Pages> pages, HttpRequest request, HttpResponse response)
      throws IOException {
    if (!request.method().equals("GET")) {
      response.status(405).header("Allow", "GET").header("Content-Type", "application/json");
      response.send(NOT_ALLOWED);
      return;
    }
    String path = request.path();
    if (!path.equals("/metrics") && !path.equals("/metrics/")) {
      response.header("Content-Type", "text/plain; charset=utf-8").send(EMPTY);
      return;
    }
    ExpositionFormat format = ExpositionFormat.of(request.header("Accept"));
    Pages ofFormat = Objects.requireNonNull(pages.get(format));
    response.header("Content-Type", format.contentType());
    if (ACCEPTS_GZIP.matcher(request.header("Accept-Encoding").orElse("")).find()) {
      response.header("Content-Encoding", "gzip").send(ofFormat.gzip.get());
    } else {
      response.send(ofFormat.plain.get());
    }
  }

  private static byte[] compressed(byte[] bytes) {
    var compressed = new ByteArrayOutputStream(bytes.length / 8);
    try (var gzip = new FastGzip(compressed)) {
      gzip.write(bytes);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return compressed.toByteArray();
  }

  /** Pages are repetitive: the fastest level leaves a tenth of one. */
  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(OutputStream target) throws IOException {
      super(target);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }
}
