package io.nereid.training;

import java.io.IOException;

/** Sends requests for the example models over HTTP and gRPC, good ones and some that fail. */
public final class Training {
  /** Enough for the classes that only a connection or a pool in use needs. */
  private static final int ROUNDS = 20;

  private Training() {}

  /**
   * Sends all requests in each round.
   *
   * @throws IOException if a response is not as expected
   */
  public static void run(int httpPort, int metricsPort, int grpcPort)
      throws IOException, InterruptedException {
    try (var http = new HttpTraining(httpPort, metricsPort);
        var grpc = new GrpcTraining(grpcPort)) {
      http.readMetadata();
      grpc.readMetadata();
      for (int i = 0; i < ROUNDS; i++) {
        http.infer();
        grpc.infer();
      }
    }
  }
}
