package io.nereid.server.options.frontend;

import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.time.Duration;
import java.util.OptionalInt;

/** The options that limit what clients of HTTP take. */
public final class HttpLimitOptions extends OptionGroup {
  private final OptionValue<Integer> maxConnections =
      positive("--http-max-connections=<count>", ConnectionLimits.DEFAULT.maxConnections())
          .help(
              "Open HTTP connections; for one more, one that waits for a request, or for the rest of"
                  + " a head, is closed.");

  private final OptionValue<Integer> maxConnectionsPerClient =
      option("--http-max-connections-per-client=<count>", OptionConverters::positive)
          .help(
              "Open HTTP connections of one client address. Default: half of those that may be"
                  + " open.");

  private final OptionValue<Integer> maxRequests =
      positive("--http-max-requests=<count>", 4096).help("Inference requests in flight over HTTP.");

  private final OptionValue<Integer> maxRequestLineSize =
      positive("--http-max-request-line-size=<bytes>", HeadLimits.DEFAULT.requestLineSize())
          .help("Longest line with the target of a request.");

  private final OptionValue<Integer> maxHeaderSize =
      positive("--http-max-header-size=<bytes>", HeadLimits.DEFAULT.headerSize())
          .help("Largest header of a request.");

  private final OptionValue<Integer> maxHeaderCount =
      positive("--http-max-header-count=<count>", HeadLimits.DEFAULT.headerCount())
          .help("Most header fields of a request.");

  private final OptionValue<Duration> headerTimeout =
      time("--http-header-timeout-secs=<seconds>", ConnectionLimits.DEFAULT.headerTimeout())
          .help(
              "Time for a new connection to send its first byte, and for the header of a request.");

  private final OptionValue<Duration> readTimeout =
      time("--http-read-timeout-secs=<seconds>", ConnectionLimits.DEFAULT.readTimeout())
          .help(
              "Time for the body of a request, and a second more for each 64 KiB of it; also the"
                  + " longest time without a byte.");

  private final OptionValue<Duration> writeTimeout =
      time("--http-write-timeout-secs=<seconds>", ConnectionLimits.DEFAULT.writeTimeout())
          .help("Time for a client to read a response, in the same way.");

  private final OptionValue<Duration> idleTimeout =
      time("--http-idle-timeout-secs=<seconds>", ConnectionLimits.DEFAULT.idleTimeout())
          .help("Time after which a connection without a request is closed.");

  private final OptionValue<Duration> maxConnectionAge =
      time("--http-max-connection-age=<milliseconds>", null)
          .help(
              "Age of a connection after which its next response ends it, a tenth more or less by"
                  + " chance, so that clients look for new servers. Default: none.");

  /** The limits of a request's head. */
  public HeadLimits head() {
    return new HeadLimits(maxRequestLineSize.get(), maxHeaderSize.get(), maxHeaderCount.get());
  }

  /** The limits of connections, and their deadlines. */
  public ConnectionLimits connections() {
    return new ConnectionLimits(
        maxConnections.get(),
        maxConnectionsPerClient.given().orElse(Math.max(1, maxConnections.get() / 2)),
        headerTimeout.get(),
        readTimeout.get(),
        writeTimeout.get(),
        idleTimeout.get(),
        maxConnectionAge.given());
  }

  /** Open connections of one client; empty for half of those that may be open. */
  public OptionalInt maxConnectionsPerClient() {
    return maxConnectionsPerClient.given().stream().mapToInt(Integer::intValue).findFirst();
  }

  /** Inference requests in flight. */
  public int maxRequests() {
    return maxRequests.get();
  }
}
