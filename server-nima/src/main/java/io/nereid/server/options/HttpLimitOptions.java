package io.nereid.server.options;

import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.message.HeadLimits;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that limit what clients of HTTP take. */
public final class HttpLimitOptions {
  @Option(
      names = "--http-max-connections",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description =
          "Open HTTP connections; for one more, one that waits for a request, or for the rest of a"
              + " head, is closed. Default: ${DEFAULT-VALUE}.")
  private int maxConnections = ConnectionLimits.DEFAULT.maxConnections();

  @Option(
      names = "--http-max-connections-per-client",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description =
          "Open HTTP connections of one client address. Default: half of those that may be open.")
  private @Nullable Integer maxConnectionsPerClient;

  @Option(
      names = "--http-max-requests",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description = "Inference requests in flight over HTTP. Default: ${DEFAULT-VALUE}.")
  private int maxRequests = 4096;

  @Option(
      names = "--http-max-request-line-size",
      paramLabel = "<bytes>",
      converter = OptionConverters.Positive.class,
      description = "Longest line with the target of a request. Default: ${DEFAULT-VALUE}.")
  private int maxRequestLineSize = HeadLimits.DEFAULT.requestLineSize();

  @Option(
      names = "--http-max-header-size",
      paramLabel = "<bytes>",
      converter = OptionConverters.Positive.class,
      description = "Largest header of a request. Default: ${DEFAULT-VALUE}.")
  private int maxHeaderSize = HeadLimits.DEFAULT.headerSize();

  @Option(
      names = "--http-max-header-count",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description = "Most header fields of a request. Default: ${DEFAULT-VALUE}.")
  private int maxHeaderCount = HeadLimits.DEFAULT.headerCount();

  @Option(
      names = "--http-header-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time for a new connection to send its first byte, and for the header of a request."
              + " Default: ${DEFAULT-VALUE}.")
  private int headerTimeoutSeconds = seconds(ConnectionLimits.DEFAULT.headerTimeout());

  @Option(
      names = "--http-read-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time for the body of a request, and a second more for each 64 KiB of it; also the"
              + " longest time without a byte. Default: ${DEFAULT-VALUE}.")
  private int readTimeoutSeconds = seconds(ConnectionLimits.DEFAULT.readTimeout());

  @Option(
      names = "--http-write-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time for a client to read a response, in the same way. Default: ${DEFAULT-VALUE}.")
  private int writeTimeoutSeconds = seconds(ConnectionLimits.DEFAULT.writeTimeout());

  @Option(
      names = "--http-idle-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time after which a connection without a request is closed. Default: ${DEFAULT-VALUE}.")
  private int idleTimeoutSeconds = seconds(ConnectionLimits.DEFAULT.idleTimeout());

  @Option(
      names = "--http-max-connection-age",
      paramLabel = "<milliseconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Age of a connection after which its next response ends it, a tenth more or less by"
              + " chance, so that clients look for new servers. Default: none.")
  private @Nullable Integer maxConnectionAgeMillis;

  private static int seconds(Duration duration) {
    return Math.toIntExact(duration.toSeconds());
  }

  /** The limits of a request's head. */
  public HeadLimits head() {
    return new HeadLimits(maxRequestLineSize, maxHeaderSize, maxHeaderCount);
  }

  /** The limits of connections, and their deadlines. */
  public ConnectionLimits connections() {
    return new ConnectionLimits(
        maxConnections,
        maxConnectionsPerClient().orElse(Math.max(1, maxConnections / 2)),
        Duration.ofSeconds(headerTimeoutSeconds),
        Duration.ofSeconds(readTimeoutSeconds),
        Duration.ofSeconds(writeTimeoutSeconds),
        Duration.ofSeconds(idleTimeoutSeconds),
        Optional.ofNullable(maxConnectionAgeMillis).map(Duration::ofMillis));
  }

  /** Open connections of one client; empty for half of those that may be open. */
  public OptionalInt maxConnectionsPerClient() {
    return OptionConverters.optional(maxConnectionsPerClient);
  }

  /** Inference requests in flight. */
  public int maxRequests() {
    return maxRequests;
  }
}
