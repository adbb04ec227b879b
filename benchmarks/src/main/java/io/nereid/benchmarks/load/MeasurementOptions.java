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
  URI http = URI.create("");

  @Option(
      names = "--grpc",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:8001",
      description = "${DEFAULT-VALUE}")
  URI grpc = URI.create("");

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "The server's process, to report what it uses.")
  long pid;

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
  double seconds;

  Duration warmUp() {
    return duration(warmUp);
  }

  /** The duration of a measurement. */
  Duration duration() {
    return duration(seconds);
  }

  private static Duration duration(double seconds) {
    return Duration.ofNanos((long) (seconds * NANOS_PER_SECOND));
  }
}
