package io.nereid.engine.model.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.scheduler.SchedulerModel;
import io.nereid.tck.scheduler.TestRequest;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An ensemble whose models share a resource of which one exists. */
@Timeout(60)
class HeldResourcesTest {
  private static final String TENSORS =
      """
      input { name: "IN0" data_type: TYPE_FP32 dims: [ 16 ] }
      output { name: "OUT0" data_type: TYPE_FP32 dims: [ 16 ] }
      """;
  private static final String HOLDING =
      """
      backend: "gate"
      instance_group { count: 1 kind: KIND_CPU
        rate_limiter { resources { name: "one" count: 1 } } }
      """;

  @TempDir Path repository;

  @AfterEach
  void forget() {
    Gate.forget("source");
    Gate.forget("sink");
  }

  private static String step(String model, String from, String to) {
    return ("step { model_name: \"%s\" model_version: -1 input_map { key: \"IN0\" value: \"%s\" }"
            + " output_map { key: \"OUT0\" value: \"%s\" } }")
        .formatted(model, from, to);
  }

  private void sendsFourResponsesThrough(RateLimiter limiter) {
    Gate.of("source").openAll();
    Gate.of("sink").openAll();
    Gate.of("source").reply("four", Reply.responses(4));
    try (var loader = new LoaderUnderTest(repository, limiter)) {
      loader.load(
          "name: \"source\"\n"
              + TENSORS
              + HOLDING
              + "model_transaction_policy { decoupled: true }");
      loader.load("name: \"sink\"\n" + TENSORS + HOLDING);
      SchedulerModel ensemble =
          loader.load(
              "name: \"both\"\nplatform: \"ensemble\"\n"
                  + TENSORS
                  + "ensemble_scheduling { max_inflight_requests: 1 "
                  + step("source", "IN0", "x")
                  + step("sink", "x", "OUT0")
                  + "}");

      var answer = ensemble.submit(TestRequest.of("four", TestRequest.fp32("IN0", 1, 16)));

      assertThat(answer.await().responses()).hasSize(4);
      assertThat(answer.failure()).isEmpty();
    }
  }

  @Test
  void aStepThatHoldsTheResourceIsNotLimitedByBackPressure() {
    sendsFourResponsesThrough(new ExecutionCountLimiter(List.of()));
  }

  @Test
  void noStepHoldsTheResourceWithoutALimiter() {
    sendsFourResponsesThrough(RateLimiter.OFF);
  }
}
