package io.nereid.benchmarks.load;

import java.net.URI;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of commands that measure a running server: where it is, and for how long. */
final class MeasurementOptions {
  private static final double NANOS_PER_SECOND = 1e9;

  @Option(
      names = "--http",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:8000",
      description = "${DEFAULT-VALUE}")
  private URI http = URI.create("");

  @Option(
      names = "--grpc",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:8001",
      description = "${DEFAULT-VALUE}")
  private URI grpc = URI.create("");

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "The server's process, to report what it uses.")
  private long pid;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "Warm-up before what is measured: ${DEFAULT-VALUE}.")
  private double warmUp;

  @Option(
      names = "--seconds",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = "Duration of each measurement: ${DEFAULT-VALUE}.")
  private double seconds;

  /** The server's address for HTTP. */
  URI http() {
    return http;
  }

  /** The server's address for gRPC. */
  URI grpc() {
    return grpc;
  }

  /** The server's process; 0 if it is not known. */
  long pid() {
    return pid;
  }

  Duration warmUp() {
    return duration(warmUp);
  }

  /** The duration of a measurement. */
  Duration duration() {
    return duration(seconds);
  }

  /** The duration of a measurement in seconds. */
  double seconds() {
    return seconds;
  }

  private static Duration duration(double seconds) {
    return Duration.ofNanos((long) (seconds * NANOS_PER_SECOND));
  }
}
