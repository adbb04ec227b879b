package io.nereid.tck.scheduler;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import java.util.ArrayList;
import java.util.List;

/** A request of a {@link PlainModel} that has not been answered. Guarded by the scheduler. */
final class Waiting {
  final TestRequest request;
  final TestAnswer answer;
  final List<String> outputs;
  final long rows;
  final long level;
  final long arrived;

  /** When its time in the queue is over. */
  final long deadline;

  /** The instance that must run it; negative: any. */
  final int instance;

  /** Its place among those of its level whose time was over; 0 while it is not. */
  long delayed;

  /** What it is answered with once it is its turn. */
  final List<Runnable> words = new ArrayList<>();

  /** Whether {@link #words} has all of them. */
  boolean done;

  Waiting(
      ModelConfig config,
      TestRequest request,
      TestAnswer answer,
      long level,
      long arrived,
      long deadline,
      int instance) {
    this.request = request;
    this.answer = answer;
    this.outputs =
        request.outputs().isEmpty()
            ? config.outputs().stream().map(TensorConfig::name).toList()
            : request.outputs();
    this.rows =
        new InferenceRequest(
                new ModelKey(config.name(), 1),
                request.id(),
                request.inputs(),
                outputs,
                request.options())
            .rows(config);
    this.level = level;
    this.arrived = arrived;
    this.deadline = deadline;
    this.instance = instance;
  }
}
