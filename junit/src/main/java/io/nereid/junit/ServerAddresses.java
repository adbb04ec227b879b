package io.nereid.junit;

import java.util.OptionalInt;

/**
 * Where a server listens. A front end that the options of the server leave out has no port.
 *
 * @param httpPort of HTTP
 * @param grpcPort of gRPC
 * @param metricsPort of the metrics
 */
public record ServerAddresses(OptionalInt httpPort, OptionalInt grpcPort, OptionalInt metricsPort) {
  /** The address at which servers of tests listen. */
  public static final String LOOPBACK = "127.0.0.1";

  /**
   * The address of REST, such as {@code http://127.0.0.1:8000}.
   *
   * @throws IllegalStateException if HTTP is not served
   */
  public String http() {
    return address("http", "HTTP", httpPort);
  }

  /**
   * The address of gRPC, such as {@code grpc://127.0.0.1:8001}, as the client takes it.
   *
   * @throws IllegalStateException if gRPC is not served
   */
  public String grpc() {
    return address("grpc", "gRPC", grpcPort);
  }

  /**
   * The address of the metrics, such as {@code http://127.0.0.1:8002/metrics}.
   *
   * @throws IllegalStateException if they are not served
   */
  public String metrics() {
    return address("http", "metrics", metricsPort) + "/metrics";
  }

  private static String address(String scheme, String what, OptionalInt port) {
    if (port.isEmpty()) {
      throw new IllegalStateException(
          "the server of this test has no %s: its options leave it out".formatted(what));
    }
    return scheme + "://" + LOOPBACK + ":" + port.getAsInt();
  }
}
