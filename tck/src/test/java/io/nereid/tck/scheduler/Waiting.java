package io.nereid.tck.scheduler;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import java.util.ArrayList;
import java.util.List;

/** A request of a {@link PlainModel} without a response so far. Guarded by the scheduler. */
final class Waiting {
  final TestRequest request;
  final TestResponse answer;
  final List<String> outputs;
  final long rows;
  final long level;
  final long arrived;

  /** When it times out in the queue. */
  final long deadline;

  /** The instance that must run it; negative: any. */
  final int instance;

  /** Its position among the delayed requests of its level; 0 if it is not delayed. */
  long delayed;

  /** Its responses, held until the requests before it have ended. */
  final List<Runnable> words = new ArrayList<>();

  /** Whether {@link #words} is complete. */
  boolean done;

  Waiting(
      ModelConfig config,
      TestRequest request,
      TestResponse answer,
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
