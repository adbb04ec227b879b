package io.nereid.training;

import java.io.IOException;

/** Sends requests for the example models over HTTP and gRPC, good ones and some that fail. */
public final class Training {
  /** So many rounds of requests make the JVM compile what all of them use. */
  public static final int ROUNDS = 500;

  private Training() {}

  /**
   * Sends all requests in each round.
   *
   * @throws IOException if a response is not as expected
   */
  public static void run(int httpPort, int metricsPort, int grpcPort, int rounds)
      throws IOException, InterruptedException {
    try (var http = new HttpTraining(httpPort, metricsPort);
        var grpc = new GrpcTraining(grpcPort)) {
      http.readMetadata();
      grpc.readMetadata();
      for (int i = 0; i < rounds; i++) {
        http.infer();
        grpc.infer();
      }
    }
  }
}
