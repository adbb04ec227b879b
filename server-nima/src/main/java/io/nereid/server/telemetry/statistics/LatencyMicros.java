package io.nereid.server.telemetry.statistics;

/**
 * What the requests that succeeded took, in whole microseconds: each request's durations are
 * truncated before they are added.
 */
public record LatencyMicros(
    long request, long queue, long computeInput, long computeInfer, long computeOutput) {
  /** That of one phase. */
  public long of(LatencyPhase phase) {
    return switch (phase) {
      case REQUEST -> request;
      case QUEUE -> queue;
      case COMPUTE_INPUT -> computeInput;
      case COMPUTE_INFER -> computeInfer;
      case COMPUTE_OUTPUT -> computeOutput;
    };
  }
}
