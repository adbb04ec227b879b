package io.nereid.server.grpc.limits;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.time.Duration;

/**
 * The limits of gRPC clients.
 *
 * @param maxRequestSize the bytes of a message, and of what it decompresses to; above 0
 */
public record GrpcLimits(
    int maxRequestSize, GrpcCallLimits calls, GrpcConnectionLimits connections) {
  /** What holds unless options state otherwise. */
  public static final GrpcLimits DEFAULT =
      new GrpcLimits(
          256 << 20,
          new GrpcCallLimits(
              16_384,
              Duration.ofSeconds(30),
              1_000,
              Duration.ofSeconds(30),
              1_000,
              Duration.ofHours(1),
              16 << 10),
          new GrpcConnectionLimits(10_000, Duration.ofSeconds(10), 5_000, Duration.ofMinutes(5)));

  /** The failure of a message that is larger than {@code --grpc-max-request-size}. */
  public static InferenceException tooLarge(long maxByteSize) {
    return new InferenceException(
        StatusCode.RESOURCE_EXHAUSTED,
        "the message is larger than %d bytes (--grpc-max-request-size)".formatted(maxByteSize));
  }

  /** These limits, with as many connections at most, in all and of one client. */
  public GrpcLimits withMaxConnections(int all, int ofClient) {
    return new GrpcLimits(maxRequestSize, calls, connections.with(all, ofClient));
  }
}
