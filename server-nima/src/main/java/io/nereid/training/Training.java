package io.nereid.training;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Sends requests for the example models over HTTP and gRPC, good ones and some that fail. It is a
 * process of its own: the classes of a client would get into the server's cache with those of the
 * server, and where a class of both has been extended by both, the JVM compiles slower calls.
 */
public final class Training {
  /** Enough for the classes that only a connection or a pool in use needs. */
  private static final int ROUNDS = 20;

  private Training() {}

  /**
   * Runs the process, and waits for its end.
   *
   * @return its exit status; 0 if all responses were as expected
   */
  public static int run(int httpPort, int metricsPort, int grpcPort)
      throws IOException, InterruptedException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    return new ProcessBuilder(
            java.toString(),
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            Training.class.getName(),
            Integer.toString(httpPort),
            Integer.toString(metricsPort),
            Integer.toString(grpcPort))
        .inheritIO()
        .start()
        .waitFor();
  }

  /**
   * Sends all requests in each round.
   *
   * @param ports of HTTP, metrics and gRPC
   * @throws IOException if a response is not as expected
   */
  public static void main(String[] ports) throws IOException, InterruptedException {
    try (var http = new HttpTraining(Integer.parseInt(ports[0]), Integer.parseInt(ports[1]));
        var grpc = new GrpcTraining(Integer.parseInt(ports[2]))) {
      http.readMetadata();
      grpc.readMetadata();
      for (int i = 0; i < ROUNDS; i++) {
        http.infer();
        grpc.infer();
      }
    }
  }
}
