package io.nereid.server.options.frontend;

import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.frontend.Listener;
import io.nereid.server.grpc.GrpcKeepAlive;
import io.nereid.server.grpc.GrpcSettings;
import io.nereid.server.grpc.GrpcSettings.Features;
import io.nereid.server.grpc.limits.GrpcCallLimits;
import io.nereid.server.grpc.limits.GrpcConnectionLimits;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.grpc.message.ResponseCompression;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.time.Duration;
import java.util.OptionalInt;

/** The options of the gRPC front end. */
public final class GrpcOptions extends OptionGroup {
  private final OptionValue<Boolean> allowed =
      toggle("--allow-grpc", true).help("Whether to serve gRPC.");

  private final OptionValue<String> address =
      option("--grpc-address=<address>", OptionConverters::address, "0.0.0.0")
          .help("Address to listen on for gRPC.");

  private final OptionValue<Integer> port =
      option("--grpc-port=<port>", OptionConverters::port, 8001)
          .help("Port for gRPC; 0 for any free one.");

  private final OptionValue<Integer> maxRequestSize =
      positive("--grpc-max-request-size=<bytes>", GrpcLimits.DEFAULT.maxRequestSize())
          .help("Largest message of a client, and the most that it may decompress to.");

  private final OptionValue<Integer> maxRequests =
      positive("--grpc-max-requests=<count>", GrpcLimits.DEFAULT.calls().maxRequests())
          .help(
              "Calls in flight, of all gRPC connections; a client may have as many as are free for"
                  + " others.");

  private final OptionValue<Integer> maxStreams =
      positive("--grpc-max-streams=<count>", GrpcLimits.DEFAULT.calls().maxStreams())
          .help("Calls in flight of one connection.");

  private final OptionValue<Integer> maxConnections =
      positive("--grpc-max-connections=<count>", GrpcLimits.DEFAULT.connections().max())
          .help("Open gRPC connections; for one more, one without a call is closed.");

  private final OptionValue<Integer> maxConnectionsPerClient =
      option("--grpc-max-connections-per-client=<count>", OptionConverters::positive)
          .help(
              "Open gRPC connections of one client address. Default: half of those that may be"
                  + " open.");

  private final OptionValue<Integer> maxHeaderSize =
      positive("--grpc-max-header-size=<bytes>", GrpcLimits.DEFAULT.calls().maxHeaderSize())
          .help("Largest metadata of a call, as HTTP/2 counts it.");

  private final OptionValue<Integer> maxResets =
      positive("--grpc-max-resets=<count>", GrpcLimits.DEFAULT.calls().maxResets())
          .help("Calls that a client may cancel on one connection within 10 seconds.");

  private final OptionValue<Duration> handshakeTimeout =
      time(
              "--grpc-handshake-timeout-secs=<seconds>",
              GrpcLimits.DEFAULT.connections().handshakeTimeout())
          .help("Time for a connection to begin with HTTP/2.");

  private final OptionValue<Duration> readTimeout =
      time("--grpc-read-timeout-secs=<seconds>", GrpcLimits.DEFAULT.calls().readTimeout())
          .help("Time for a request to come whole, and a second more for each 64 KiB of it.");

  private final OptionValue<Duration> writeTimeout =
      time("--grpc-write-timeout-secs=<seconds>", GrpcLimits.DEFAULT.calls().writeTimeout())
          .help("Time for a client to read a response, and a second more for each 64 KiB of it.");

  private final OptionValue<Duration> idleTimeout =
      time("--grpc-idle-timeout-secs=<seconds>", GrpcLimits.DEFAULT.connections().idleTimeout())
          .help("Time after which a connection without a call is closed.");

  private final OptionValue<Duration> streamIdleTimeout =
      time(
              "--grpc-stream-idle-timeout-secs=<seconds>",
              GrpcLimits.DEFAULT.calls().streamIdleTimeout())
          .help(
              "Time after which a stream of inference ends that has neither a request nor a response"
                  + " to send.");

  private final OptionValue<Duration> keepAliveTime =
      time("--grpc-keepalive-time=<milliseconds>", GrpcKeepAlive.DEFAULT.time())
          .help("Time without a frame of the client after which the server sends a ping.");

  private final OptionValue<Duration> keepAliveTimeout =
      time("--grpc-keepalive-timeout=<milliseconds>", GrpcKeepAlive.DEFAULT.timeout())
          .help("Time for the answer to such a ping; then the connection is closed.");

  private final OptionValue<Boolean> permitWithoutCalls =
      toggle("--grpc-keepalive-permit-without-calls", GrpcKeepAlive.DEFAULT.permitWithoutCalls())
          .help("Whether clients may send pings while they have no call.");

  private final OptionValue<Duration> minPingInterval =
      timeOrZero(
              "--grpc-http2-min-recv-ping-interval-without-data=<milliseconds>",
              GrpcKeepAlive.DEFAULT.minPingInterval())
          .help(
              "Shortest time between pings of a client while no data is sent; after three that come"
                  + " too early, the connection is closed. 0 permits all.");

  private final OptionValue<Duration> maxConnectionAge =
      time("--grpc-max-connection-age=<milliseconds>", null)
          .help(
              "Time after which a connection takes no more calls, so that its client connects again."
                  + " Default: none.");

  private final OptionValue<Duration> maxConnectionAgeGrace =
      time("--grpc-max-connection-age-grace=<milliseconds>", null)
          .help("Time for the calls of such a connection to end. Default: none.");

  private final OptionValue<Boolean> reusesPort =
      toggle("--reuse-grpc-port", false)
          .help(
              "Whether other servers with this option may listen on the same port; the system"
                  + " divides the connections.");

  private final OptionValue<Boolean> reflection =
      toggle("--grpc-reflection", Features.DEFAULT.reflection())
          .help("Whether clients such as grpcurl may ask for the services and their messages.");

  private final OptionValue<HeaderForwarding> forwarding =
      option(
              "--grpc-header-forward-pattern=<pattern>",
              OptionConverters::forwarding,
              HeaderForwarding.NONE)
          .help(
              "Regular expression: metadata in whose names it is found, in any letter case, become"
                  + " parameters of the inference requests of their call. Default: none.");

  private final OptionValue<ResponseCompression> compression =
      option(
              "--grpc-infer-response-compression-level=<level>",
              OptionConverters.oneOf(ResponseCompression.values()),
              ResponseCompression.NONE)
          .help(
              "none, low, medium or high: how much gzip compresses the responses to inference"
                  + " requests of clients that accept it. Default: none.");

  public boolean isAllowed() {
    return allowed.get();
  }

  public Listener listener() {
    return new Listener("grpc", address.get(), port.get(), reusesPort.get());
  }

  /** Open connections of one client; empty for half of those that may be open. */
  public OptionalInt maxConnectionsPerClient() {
    return maxConnectionsPerClient.given().stream().mapToInt(Integer::intValue).findFirst();
  }

  /** The settings of the listener. */
  public GrpcSettings settings(ClientHeader clientHeader) {
    return new GrpcSettings(
        listener(),
        limits(),
        new GrpcKeepAlive(
            keepAliveTime.get(),
            keepAliveTimeout.get(),
            permitWithoutCalls.get(),
            minPingInterval.get(),
            maxConnectionAge.given(),
            maxConnectionAgeGrace.given()),
        new Features(reflection.get(), forwarding.get(), clientHeader, compression.get()));
  }

  private GrpcLimits limits() {
    return new GrpcLimits(
        maxRequestSize.get(),
        new GrpcCallLimits(
            maxRequests.get(),
            readTimeout.get(),
            maxStreams.get(),
            writeTimeout.get(),
            maxResets.get(),
            streamIdleTimeout.get(),
            maxHeaderSize.get()),
        new GrpcConnectionLimits(
            maxConnections.get(),
            handshakeTimeout.get(),
            maxConnectionsPerClient.given().orElse(Math.max(1, maxConnections.get() / 2)),
            idleTimeout.get()));
  }
}
