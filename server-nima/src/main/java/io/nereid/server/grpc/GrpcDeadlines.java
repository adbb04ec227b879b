package io.nereid.server.grpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.nereid.server.engine.InferenceEngine;
import java.util.concurrent.TimeUnit;

/** How long clients wait. */
final class GrpcDeadlines {
  private GrpcDeadlines() {}

  /** What is left to the client of the current call, within one of its listener's methods. */
  static long timeLeftNanos() {
    Deadline deadline = Context.current().getDeadline();
    return deadline == null
        ? InferenceEngine.NO_LIMIT
        : deadline.timeRemaining(TimeUnit.NANOSECONDS);
  }
}
