package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.execution.TestResults;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The server and the kit for backends treat the same calls alike, also two of them one after the
 * other: what they throw, and whether the first of two requests gets outputs or fails.
 */
class MisusesAgreeTest {
  private static final ModelConfig CONFIG =
      ModelConfig.of("m", "b")
          .withSignature(
              8,
              List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(1))),
              List.of(
                  TensorConfig.of("OUT", DataType.INT32, Shape.of(1)),
                  TensorConfig.of("OTHER", DataType.INT32, Shape.of(1))));

  /** Calls of a backend, on the thread of its instance. */
  private interface Calls {
    void make(Batch batch, Results results);
  }

  /** Where calls are made. */
  private enum Place {
    IN_EXECUTE,
    ON_ANOTHER_THREAD,
    AFTER_EXECUTE
  }

  /** What came of calls: the exception, and the outcome of the first request. */
  private record Seen(String thrown, String outcome) {}

  private static final Map<String, Calls> CALLS = new LinkedHashMap<>();

  static {
    CALLS.put("size", (batch, _) -> batch.size());
    CALLS.put("request", (batch, _) -> batch.request(0));
    CALLS.put("request out of range", (batch, _) -> batch.request(2));
    CALLS.put("rows", (batch, _) -> batch.rows());
    CALLS.put("padding", (batch, _) -> batch.isPadding(0));
    CALLS.put("input", (batch, _) -> batch.input(0, "IN"));
    CALLS.put("unknown input", (batch, _) -> batch.input(0, "NONE"));
    CALLS.put("gathered", (batch, _) -> batch.gathered("IN"));
    CALLS.put("unknown state", (batch, _) -> batch.state(0, "NONE"));
    CALLS.put("one action on cancellation", (batch, _) -> batch.onCancel(() -> {}));
    CALLS.put(
        "two actions on cancellation",
        (batch, _) -> {
          batch.onCancel(() -> {});
          batch.onCancel(() -> {});
        });
    CALLS.put("wants", (_, results) -> results.wants(0, "OUT"));
    CALLS.put("any wants", (_, results) -> results.wants("OUT"));
    CALLS.put("isTraced", (_, results) -> results.isTraced(0));
    CALLS.put("activity", (_, results) -> results.activity(0, "A", 1));
    CALLS.put("computeStarted", (_, results) -> results.computeStarted());
    CALLS.put("computeEnded", (_, results) -> results.computeEnded());
    CALLS.put("computed", (_, results) -> results.computed(1, 1));
    CALLS.put("allocate", (_, results) -> allocate(results, "OUT", DataType.INT32, 1, 1));
    CALLS.put("unknown output", (_, results) -> allocate(results, "NONE", DataType.INT32, 1, 1));
    CALLS.put("wrong type", (_, results) -> allocate(results, "OUT", DataType.FP32, 1, 1));
    CALLS.put("wrong shape", (_, results) -> allocate(results, "OUT", DataType.INT32, 1, 2));
    CALLS.put("wrong rows", (_, results) -> allocate(results, "OUT", DataType.INT32, 2, 1));
    CALLS.put(
        "wrong size",
        (_, results) -> results.allocate(0, "OUT", DataType.INT32, Shape.of(1, 1), 8));
    CALLS.put(
        "negative size",
        (_, results) -> results.allocate(0, "OUT", DataType.INT32, Shape.of(1, 1), -4));
    CALLS.put(
        "twice",
        (_, results) -> {
          allocate(results, "OUT", DataType.INT32, 1, 1);
          allocate(results, "OUT", DataType.INT32, 1, 1);
        });
    CALLS.put("batch", (_, results) -> batch(results, "OUT", DataType.INT32, 3));
    CALLS.put("batch too small", (_, results) -> batch(results, "OUT", DataType.INT32, 2));
    CALLS.put("batch too large", (_, results) -> batch(results, "OUT", DataType.INT32, 4));
    CALLS.put("batch of another type", (_, results) -> batch(results, "OUT", DataType.FP32, 3));
    CALLS.put("batch unknown", (_, results) -> batch(results, "NONE", DataType.INT32, 3));
    CALLS.put("batch of strings", (_, results) -> batch(results, "OUT", DataType.BYTES, 3));
    CALLS.put("give", (_, results) -> give(results, Arena.ofAuto(), 1));
    CALLS.put("give a wrong shape", (_, results) -> give(results, Arena.ofAuto(), 2));
    CALLS.put("give confined", (_, results) -> give(results, Arena.ofConfined(), 1));
    CALLS.put("give without a release", (_, results) -> results.give(0, tensor(), absent()));
    CALLS.put(
        "give a batch without a release", (_, results) -> results.giveBatch(tensor(), absent()));
    CALLS.put("parameter", (_, results) -> results.parameter(0, "p", new Parameter.OfLong(1)));
    CALLS.put("parameter without a value", (_, results) -> results.parameter(0, "p", absent()));
    CALLS.put("fail without a reason", (_, results) -> results.fail(0, absent()));
    CALLS.put("fail", (_, results) -> results.fail(0, InferenceException.internal("no")));
    CALLS.put(
        "fail twice",
        (_, results) -> {
          results.fail(0, InferenceException.internal("no"));
          results.fail(0, InferenceException.internal("no"));
        });
    CALLS.put("send", (_, results) -> results.send(0));
    CALLS.put(
        "send twice",
        (_, results) -> {
          results.send(0);
          results.send(0);
        });
    CALLS.put(
        "send after a failure",
        (_, results) -> {
          results.fail(0, InferenceException.internal("no"));
          results.send(0);
        });
    CALLS.put(
        "fail after it was sent",
        (_, results) -> {
          results.send(0);
          results.fail(0, InferenceException.internal("no"));
        });
    CALLS.put(
        "allocate after it was sent",
        (_, results) -> {
          results.send(0);
          allocate(results, "OUT", DataType.INT32, 1, 1);
        });
    CALLS.put(
        "send after a wrong output",
        (_, results) -> {
          allocate(results, "OUT", DataType.FP32, 1, 1);
          results.send(0);
        });
    CALLS.put("finish", (_, results) -> results.finish(0));
    CALLS.put("reschedule", (_, results) -> results.reschedule(0));
    CALLS.put(
        "unknown new state",
        (_, results) -> results.allocateState(0, "NONE", DataType.INT32, Shape.of(1, 1)));
  }

  private static void allocate(Results results, String output, DataType type, long rows, long dim) {
    results.allocate(0, output, type, Shape.of(rows, dim), rows * dim * Integer.BYTES);
  }

  private static void batch(Results results, String output, DataType type, long rows) {
    results.allocateBatch(output, type, Shape.of(rows, 1));
  }

  private static void give(Results results, Arena arena, long dim) {
    var data = arena.allocate(dim * Integer.BYTES);
    results.give(0, new Tensor("OUT", DataType.INT32, Shape.of(1, dim), data), () -> {});
  }

  private static Tensor tensor() {
    return Tensors.ints("OUT", Shape.of(1, 1), 1);
  }

  /** What a backend that is not checked for null may pass. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T absent() {
    @Nullable T none = null;
    return none;
  }

  @TestFactory
  Stream<DynamicTest> serverAndKitTreatCallsAlike() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Place place : Place.values()) {
      CALLS.forEach((name, calls) ->
          tests.add(
              dynamicTest(
                  name + " " + place,
                  () ->
                      assertThat(ofKit(List.of(calls), place))
                          .isEqualTo(ofServer(List.of(calls), place)))));
    }
    return tests.stream();
  }

  /**
   * Each two calls, one after the other, whether the first one has thrown or not; all pairs that
   * begin with the same call are one test.
   */
  @TestFactory
  Stream<DynamicTest> serverAndKitTreatEachTwoCallsAlike() {
    return CALLS.entrySet().stream()
        .map(first ->
            dynamicTest(
                first.getKey(),
                () -> {
                  Map<String, String> differing = new LinkedHashMap<>();
                  CALLS.forEach((second, then) -> {
                    List<Calls> both = List.of(first.getValue(), then);
                    Seen kit = ofKit(both, Place.IN_EXECUTE);
                    Seen server = ofServer(both, Place.IN_EXECUTE);
                    if (!kit.equals(server)) {
                      differing.put(second, "kit %s, server %s".formatted(kit, server));
                    }
                  });
                  assertThat(differing).isEmpty();
                }));
  }

  private static Seen ofServer(List<Calls> calls, Place place) {
    var pool = new CheckedBufferPool();
    List<TestRequest> requests =
        List.of(
            TestRequest.of(
                pool, "a", 1, List.of("OUT", "OTHER"), Tensors.ints("IN", Shape.of(1, 1), 1)),
            TestRequest.of(
                pool, "b", 2, List.of("OUT", "OTHER"), Tensors.ints("IN", Shape.of(2, 1), 2, 3)));
    var buffers = new GatherBuffers(pool);
    var batch = TestRequest.batch(CONFIG, requests, buffers);
    BatchResults results = TestRequest.results(CONFIG, batch, pool, null);
    String thrown = "";
    if (place != Place.AFTER_EXECUTE) {
      thrown = made(calls, place, batch, results);
    }
    batch.end();
    buffers.release();
    if (place == Place.AFTER_EXECUTE) {
      thrown = made(calls, place, batch, results);
    }
    results.deliver();
    return new Seen(thrown, outcome(requests.getFirst().outcome()));
  }

  private static String outcome(RecordedOutcome outcome) {
    try {
      return "outputs " + outcome.response().outputs().stream().map(Tensor::name).toList();
    } catch (AssertionError failed) {
      return "failure " + outcome.failure().code();
    }
  }

  private static Seen ofKit(List<Calls> calls, Place place) {
    try (var batch = new TestBatch(CONFIG)) {
      batch.add(SampleRequest.of(List.of(Tensors.ints("IN", Shape.of(1, 1), 1))));
      batch.add(SampleRequest.of(List.of(Tensors.ints("IN", Shape.of(2, 1), 2, 3))));
      try (var results = new TestResults(CONFIG, batch)) {
        Batch scoped = results.scopedBatch();
        String thrown = "";
        if (place != Place.AFTER_EXECUTE) {
          thrown = made(calls, place, scoped, results);
        }
        Outcome first = results.answers().getFirst().getFirst();
        if (place == Place.AFTER_EXECUTE) {
          thrown = made(calls, place, scoped, results);
        }
        return new Seen(thrown, outcome(first));
      }
    }
  }

  private static String outcome(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Outputs outputs -> "outputs " + outputs.tensors().keySet();
      case Outcome.Failure failure -> "failure " + failure.exception().code();
    };
  }

  private static String made(List<Calls> calls, Place place, Batch batch, Results results) {
    List<String> thrown = new ArrayList<>();
    Runnable all = () -> calls.forEach(each -> thrown.add(thrown(each, batch, results)));
    if (place != Place.ON_ANOTHER_THREAD) {
      all.run();
    } else {
      try {
        Thread.ofPlatform().start(all).join();
      } catch (InterruptedException stop) {
        throw new AssertionError(stop);
      }
    }
    return String.join(", ", thrown);
  }

  private static String thrown(Calls calls, Batch batch, Results results) {
    try {
      calls.make(batch, results);
      return "";
    } catch (IndexOutOfBoundsException refused) { // or one of its subclasses
      return "IndexOutOfBoundsException";
    } catch (RuntimeException refused) {
      return refused.getClass().getSimpleName();
    }
  }
}
