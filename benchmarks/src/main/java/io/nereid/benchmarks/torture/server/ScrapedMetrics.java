package io.nereid.benchmarks.torture.server;

import io.nereid.benchmarks.torture.wire.RawConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The metrics of a server, as text in Prometheus's format. */
public record ScrapedMetrics(String text) {
  public static final ScrapedMetrics NONE = new ScrapedMetrics("");

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final List<String> BUDGETS =
      List.of(
          "nereid_pool_leased_bytes",
          "nereid_request_memory_bytes",
          "nereid_grpc_transport_memory_bytes");

  public static ScrapedMetrics read(InetSocketAddress server) throws IOException {
    try (var connection = RawConnection.open(server)) {
      connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      return new ScrapedMetrics(connection.receive(TIMEOUT).body());
    }
  }

  /**
   * What requests have of the server's memory, by the name of the metric: all is 0 while there are
   * none. A server of another make has none of these.
   */
  public Map<String, Long> budgets() {
    var budgets = new TreeMap<String, Long>();
    for (String name : BUDGETS) {
      value(name).ifPresent(bytes -> budgets.put(name, bytes));
    }
    return budgets;
  }

  /** Whether requests have nothing of the server's memory. */
  public boolean isIdle() {
    return leases().orElse(0) == 0 && budgets().values().stream().allMatch(bytes -> bytes == 0);
  }

  /** The leases of the pool that are outstanding; empty if the server does not report them. */
  public OptionalLong leases() {
    return value("nereid_pool_outstanding_leases");
  }

  /** The memory of the pool; empty if the server does not report it. */
  public OptionalLong poolBytes() {
    return value("nereid_pool_held_bytes");
  }

  /** The value of a metric without labels; empty if the server has none of that name. */
  private OptionalLong value(String name) {
    Matcher line =
        Pattern.compile("^" + Pattern.quote(name) + " ([0-9.eE+]+)$", Pattern.MULTILINE)
            .matcher(text);
    return line.find()
        ? OptionalLong.of((long) Double.parseDouble(line.group(1)))
        : OptionalLong.empty();
  }
}
