package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.gate.GateBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A class of tests on schedulers, each with one of its own. When a test is over, all of its
 * requests must end, each once.
 */
public abstract class SchedulerVerification implements SchedulerFactory {
  /** {@code IN0} and {@code OUT0}, FP32, of a fixed size. */
  protected static final String FIXED =
      """
      input { name: "IN0" data_type: TYPE_FP32 dims: [ 16 ] }
      output { name: "OUT0" data_type: TYPE_FP32 dims: [ 16 ] }
      """;

  /** Two pairs of the same. */
  protected static final String TWO_INPUTS =
      """
      input { name: "IN0" data_type: TYPE_FP32 dims: [ 16 ] }
      input { name: "IN1" data_type: TYPE_FP32 dims: [ 16 ] }
      output { name: "OUT0" data_type: TYPE_FP32 dims: [ 16 ] }
      output { name: "OUT1" data_type: TYPE_FP32 dims: [ 16 ] }
      """;

  static final String ONE_INSTANCE = "instance_group { kind: KIND_CPU count: 1 }\n";
  protected static final String TWO_INSTANCES = "instance_group { kind: KIND_CPU count: 2 }\n";

  protected static final String DECOUPLED = "model_transaction_policy { decoupled: true }\n";

  /** All four controls of a sequence. */
  protected static final String CONTROLS =
      """
      control_input { name: "START" control { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 1 ] } }
      control_input { name: "END" control { kind: CONTROL_SEQUENCE_END int32_false_true: [ 0, 1 ] } }
      control_input { name: "READY" control { kind: CONTROL_SEQUENCE_READY bool_false_true: [ false, true ] } }
      control_input { name: "ID" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } }
      """;

  /** A queue delay that does not expire by accident. */
  protected static final Duration DELAY = Duration.ofSeconds(10);

  /** {@link #DELAY}, as a line of {@code dynamic_batching}. */
  protected static final String WITH_DELAY = " max_queue_delay_microseconds: 10000000 ";

  /** The shortest time that tests distinguish. */
  protected static final Duration MOMENT = Duration.ofMillis(1);

  /** Longer than any queue delay or timeout here. */
  private static final Duration AGES = Duration.ofHours(1);

  /** Makes names unique, so that no test uses the gate of another. */
  private static final AtomicInteger MODELS = new AtomicInteger();

  private final Map<String, GatedModel> models = new LinkedHashMap<>();
  private @Nullable SchedulerUnderTest tested;

  @BeforeEach
  void openOne() throws Exception {
    tested = openScheduler();
  }

  @AfterEach
  void closeOne() {
    if (tested == null) {
      return;
    }
    try (var closing = tested) {
      models.values().forEach(model -> model.gate().tearDown());
      closing.settle();
      closing.advance(AGES);
      closing.settle();
      List<TestResponse> answers = new ArrayList<>();
      models.values().forEach(model -> answers.addAll(model.answers()));
      answers.forEach(TestResponse::await);
      assertThat(answers).flatExtracting(TestResponse::violations).isEmpty();
    } finally {
      models.keySet().forEach(Gate::forget);
    }
  }

  /** Replaces the scheduler; before any model is loaded. */
  protected final void reopen(SchedulerUnderTest other) {
    if (tested != null) {
      tested.close();
    }
    tested = other;
  }

  /** A name that no other model has. */
  protected static String freshName() {
    return "gated_" + MODELS.incrementAndGet();
  }

  /**
   * Loads a model of one instance, or as many as {@code config} says, with fixed tensors unless it
   * has others.
   *
   * @param config all but name, backend and {@code max_batch_size}
   */
  protected final GatedModel load(int maxBatchSize, String config) {
    return load(freshName(), maxBatchSize, config);
  }

  /** Like {@link #load(int, String)}, with that name. */
  protected final GatedModel load(String name, int maxBatchSize, String config) {
    return load(name, maxBatchSize, config, Map.of());
  }

  /**
   * Like {@link #load(int, String)}, with that name and files.
   *
   * @param files content by path, relative to the model's directory
   */
  final GatedModel load(String name, int maxBatchSize, String config, Map<String, byte[]> files) {
    String instances = config.contains("instance_group {") ? "" : ONE_INSTANCE;
    String head = "backend: \"%s\"\n%s".formatted(GateBackend.NAME, instances);
    return load(name, maxBatchSize, head, config, files);
  }

  /**
   * Loads an ensemble, with fixed tensors unless it has others. Its own gate is not used.
   *
   * @param config all but name, platform and {@code max_batch_size}
   */
  protected final GatedModel loadEnsemble(String name, int maxBatchSize, String config) {
    return load(name, maxBatchSize, "platform: \"ensemble\"\n", config, Map.of());
  }

  /**
   * Advances the clock to just before a delay ends, where {@code before} holds, and past its end.
   */
  protected static void advancePast(Duration delay, GatedModel model, Runnable before) {
    model.advance(delay.minus(MOMENT));
    before.run();
    model.advance(MOMENT.multipliedBy(2));
  }

  /** The request has ended with that failure, and without a response. */
  protected static void assertFailed(TestResponse answer, StatusCode code, String text) {
    assertThat(answer.isDone()).as(answer::toString).isTrue();
    assertThat(answer.responses()).isEmpty();
    InferenceException failure = answer.failure().orElseThrow();
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure).hasMessage(text);
  }

  /** The load fails, since what is loaded is invalid. */
  protected static AbstractThrowableAssert<?, ? extends Throwable> assertInvalid(
      ThrowingCallable load) {
    return assertThatThrownBy(load)
        .isInstanceOfSatisfying(
            InferenceException.class,
            rejection -> assertThat(rejection.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  /** The requests that failed since the model was loaded: one, for that reason. */
  protected static void assertOneFailed(GatedModel model, Statistics.Reason reason) {
    assertThat(model.statistics().failed(reason)).isEqualTo(1);
    assertThat(model.statistics().failed()).isEqualTo(1);
  }

  private GatedModel load(
      String name, int maxBatchSize, String head, String config, Map<String, byte[]> files) {
    if (tested == null) {
      throw new IllegalStateException("nothing is open");
    }
    boolean hasTensors = config.lines().anyMatch(line -> line.startsWith("input {"));
    String text =
        "name: \"%s\"\n%smax_batch_size: %d\n%s%s"
            .formatted(name, head, maxBatchSize, hasTensors ? "" : FIXED, config);
    var model = new GatedModel(name, tested, tested.load(text, files), maxBatchSize);
    models.put(name, model);
    return model;
  }
}
