package io.nereid.server.options;

import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.frontend.Listener;
import io.nereid.server.grpc.GrpcKeepAlive;
import io.nereid.server.grpc.GrpcSettings;
import io.nereid.server.grpc.GrpcSettings.Features;
import io.nereid.server.grpc.connection.GrpcLimits;
import io.nereid.server.grpc.message.ResponseCompression;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the gRPC front end. */
public final class GrpcOptions {
  @Option(
      names = "--allow-grpc",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether to serve gRPC. Default: ${DEFAULT-VALUE}.")
  private boolean allowed = true;

  @Option(
      names = "--grpc-address",
      paramLabel = "<address>",
      converter = OptionConverters.Address.class,
      description = "Address to listen on for gRPC. Default: ${DEFAULT-VALUE}.")
  private String address = "0.0.0.0";

  @Option(
      names = "--grpc-port",
      paramLabel = "<port>",
      converter = OptionConverters.Port.class,
      description = "Port for gRPC; 0 for any free one. Default: ${DEFAULT-VALUE}.")
  private int port = 8001;

  @Option(
      names = "--grpc-max-request-size",
      paramLabel = "<bytes>",
      converter = OptionConverters.Positive.class,
      description =
          "Largest message of a client, and the most that it may decompress to. Default:"
              + " ${DEFAULT-VALUE}.")
  private int maxRequestSize = GrpcLimits.DEFAULT.maxRequestSize();

  @Option(
      names = "--grpc-max-requests",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description =
          "Calls in flight, of all gRPC connections; a client may have as many as are free for"
              + " others. Default: ${DEFAULT-VALUE}.")
  private int maxRequests = GrpcLimits.DEFAULT.maxRequests();

  @Option(
      names = "--grpc-max-streams",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description = "Calls in flight of one connection. Default: ${DEFAULT-VALUE}.")
  private int maxStreams = GrpcLimits.DEFAULT.maxStreams();

  @Option(
      names = "--grpc-max-connections",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description =
          "Open gRPC connections; for one more, one without a call is closed. Default:"
              + " ${DEFAULT-VALUE}.")
  private int maxConnections = GrpcLimits.DEFAULT.maxConnections();

  @Option(
      names = "--grpc-max-connections-per-client",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description =
          "Open gRPC connections of one client address. Default: half of those that may be open.")
  private @Nullable Integer maxConnectionsPerClient;

  @Option(
      names = "--grpc-max-header-size",
      paramLabel = "<bytes>",
      converter = OptionConverters.Positive.class,
      description = "Largest metadata of a call, as HTTP/2 counts it. Default: ${DEFAULT-VALUE}.")
  private int maxHeaderSize = GrpcLimits.DEFAULT.maxHeaderSize();

  @Option(
      names = "--grpc-max-resets",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description =
          "Calls that a client may cancel on one connection within 10 seconds. Default:"
              + " ${DEFAULT-VALUE}.")
  private int maxResets = GrpcLimits.DEFAULT.maxResets();

  @Option(
      names = "--grpc-handshake-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Positive.class,
      description = "Time for a connection to begin with HTTP/2. Default: ${DEFAULT-VALUE}.")
  private int handshakeTimeoutSeconds = seconds(GrpcLimits.DEFAULT.handshakeTimeout());

  @Option(
      names = "--grpc-read-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time for a request to come whole, and a second more for each 64 KiB of it. Default:"
              + " ${DEFAULT-VALUE}.")
  private int readTimeoutSeconds = seconds(GrpcLimits.DEFAULT.readTimeout());

  @Option(
      names = "--grpc-write-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time for a client to read a response, and a second more for each 64 KiB of it. Default:"
              + " ${DEFAULT-VALUE}.")
  private int writeTimeoutSeconds = seconds(GrpcLimits.DEFAULT.writeTimeout());

  @Option(
      names = "--grpc-idle-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time after which a connection without a call is closed. Default:" + " ${DEFAULT-VALUE}.")
  private int idleTimeoutSeconds = seconds(GrpcLimits.DEFAULT.idleTimeout());

  @Option(
      names = "--grpc-stream-idle-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time after which a stream of inference ends that has neither a request nor a response"
              + " to send. Default: ${DEFAULT-VALUE}.")
  private int streamIdleTimeoutSeconds = seconds(GrpcLimits.DEFAULT.streamIdleTimeout());

  @Option(
      names = "--grpc-keepalive-time",
      paramLabel = "<milliseconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time without a frame of the client after which the server sends a ping. Default:"
              + " ${DEFAULT-VALUE}.")
  private int keepAliveMillis = millis(GrpcKeepAlive.DEFAULT.time());

  @Option(
      names = "--grpc-keepalive-timeout",
      paramLabel = "<milliseconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time for the answer to such a ping; then the connection is closed. Default:"
              + " ${DEFAULT-VALUE}.")
  private int keepAliveTimeoutMillis = millis(GrpcKeepAlive.DEFAULT.timeout());

  @Option(
      names = "--grpc-keepalive-permit-without-calls",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether clients may send pings while they have no call. Default: ${DEFAULT-VALUE}.")
  private boolean permitWithoutCalls = GrpcKeepAlive.DEFAULT.permitWithoutCalls();

  @Option(
      names = "--grpc-http2-min-recv-ping-interval-without-data",
      paramLabel = "<milliseconds>",
      converter = OptionConverters.Count.class,
      description =
          "Shortest time between pings of a client while no data is sent; after three that come"
              + " too early, the connection is closed. 0 permits all. Default: ${DEFAULT-VALUE}.")
  private int minPingIntervalMillis = millis(GrpcKeepAlive.DEFAULT.minPingInterval());

  @Option(
      names = "--grpc-max-connection-age",
      paramLabel = "<milliseconds>",
      converter = OptionConverters.Positive.class,
      description =
          "Time after which a connection takes no more calls, so that its client connects again."
              + " Default: none.")
  private @Nullable Integer maxConnectionAgeMillis;

  @Option(
      names = "--grpc-max-connection-age-grace",
      paramLabel = "<milliseconds>",
      converter = OptionConverters.Positive.class,
      description = "Time for the calls of such a connection to end. Default: none.")
  private @Nullable Integer maxConnectionAgeGraceMillis;

  @Option(
      names = "--reuse-grpc-port",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether other servers with this option may listen on the same port; the system divides"
              + " the connections. Default: ${DEFAULT-VALUE}.")
  private boolean reusesPort = Features.DEFAULT.reusesPort();

  @Option(
      names = "--grpc-reflection",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether clients such as grpcurl may ask for the services and their messages. Default:"
              + " ${DEFAULT-VALUE}.")
  private boolean reflection = Features.DEFAULT.reflection();

  @Option(
      names = "--grpc-header-forward-pattern",
      paramLabel = "<pattern>",
      converter = OptionConverters.Forwarding.class,
      description =
          "Regular expression: metadata in whose names it is found, in any letter case, become"
              + " parameters of the inference requests of their call. Default: none.")
  private HeaderForwarding forwarding = HeaderForwarding.NONE;

  @Option(
      names = "--grpc-infer-response-compression-level",
      paramLabel = "<level>",
      converter = OptionConverters.Compression.class,
      description =
          "none, low, medium or high: how much gzip compresses the responses to inference requests"
              + " of clients that accept it. Default: none.")
  private ResponseCompression compression = ResponseCompression.NONE;

  private static int seconds(Duration duration) {
    return Math.toIntExact(duration.toSeconds());
  }

  private static int millis(Duration duration) {
    return Math.toIntExact(duration.toMillis());
  }

  private static Optional<Duration> optional(@Nullable Integer millis) {
    return Optional.ofNullable(millis).map(Duration::ofMillis);
  }

  public boolean isAllowed() {
    return allowed;
  }

  public Listener listener() {
    return new Listener("grpc", address, port, reusesPort);
  }

  /** Open connections of one client; empty for half of those that may be open. */
  public OptionalInt maxConnectionsPerClient() {
    return OptionConverters.optional(maxConnectionsPerClient);
  }

  /** The settings of the listener. */
  public GrpcSettings settings(ClientHeader clientHeader) {
    return new GrpcSettings(
        address,
        port,
        limits(),
        keepAlive(),
        new Features(reflection, reusesPort, forwarding, clientHeader, compression));
  }

  private GrpcLimits limits() {
    return new GrpcLimits(
        maxRequestSize,
        maxRequests,
        maxStreams,
        maxConnections,
        maxConnectionsPerClient().orElse(Math.max(1, maxConnections / 2)),
        maxHeaderSize,
        maxResets,
        Duration.ofSeconds(handshakeTimeoutSeconds),
        Duration.ofSeconds(readTimeoutSeconds),
        Duration.ofSeconds(writeTimeoutSeconds),
        Duration.ofSeconds(idleTimeoutSeconds),
        Duration.ofSeconds(streamIdleTimeoutSeconds));
  }

  private GrpcKeepAlive keepAlive() {
    return new GrpcKeepAlive(
        Duration.ofMillis(keepAliveMillis),
        Duration.ofMillis(keepAliveTimeoutMillis),
        permitWithoutCalls,
        Duration.ofMillis(minPingIntervalMillis),
        optional(maxConnectionAgeMillis),
        optional(maxConnectionAgeGraceMillis));
  }
}
