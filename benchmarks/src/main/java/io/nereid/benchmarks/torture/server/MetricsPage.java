package io.nereid.benchmarks.torture.server;

import io.nereid.benchmarks.torture.wire.RawConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The metrics of a server, as text in Prometheus's format. */
public record MetricsPage(String text) {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  public static MetricsPage read(InetSocketAddress server) throws IOException {
    try (var connection = RawConnection.open(server)) {
      connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      return new MetricsPage(connection.receive(TIMEOUT).body());
    }
  }

  /** The value of a metric without labels; empty if the server has none of that name. */
  public OptionalLong value(String name) {
    Matcher line =
        Pattern.compile("^" + Pattern.quote(name) + " ([0-9.eE+]+)$", Pattern.MULTILINE)
            .matcher(text);
    return line.find()
        ? OptionalLong.of((long) Double.parseDouble(line.group(1)))
        : OptionalLong.empty();
  }
}
