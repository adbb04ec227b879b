package io.nereid.java.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelCall;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.DetachedVerification;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.StandInModel;
import io.nereid.tck.model.CallSettings;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A simple model that calls another. */
@Timeout(120)
class CallingModelTest {
  private static final String PASSING_ON =
      """
      try (var response = calls.infer("echo", request.input("x"))) {
        float[] y = TensorArrays.floats(response.output("y"));
        return Response.of(TensorArrays.of("y", y, request.input("x").shape().dims()));
      }
      """;

  @TempDir static Path directory;

  private static BackendUnderTest calling;
  private static BackendUnderTest broken;

  @BeforeAll
  static void makeModels() {
    calling =
        new ModelFolder(directory.resolve("calling")).withBody(PASSING_ON).underTest(config(7));
    broken =
        new ModelFolder(directory.resolve("broken"))
            .with("Model.java", "no Java")
            .underTest(config(7));
  }

  private static ModelConfig config(int maxBatchSize) {
    return ModelFolder.config(maxBatchSize).toBuilder().parameters(Map.of("calls", "echo")).build();
  }

  private static List<Tensor> echo(ModelCall call) {
    Tensor input = call.inputs().getFirst();
    return List.of(new Tensor("y", input.dataType(), input.shape(), input.data()));
  }

  interface Calling extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return calling;
    }

    @Override
    default Map<String, StandInModel> calledModels() {
      return Map.of("echo", CallingModelTest::echo);
    }
  }

  @Nested
  class Lifecycle extends LifecycleVerification implements Calling {}

  @Nested
  class Execution extends ExecutionVerification implements Calling {}

  @Nested
  class Memory extends MemoryVerification implements Calling {}

  @Nested
  class Threading extends ThreadingVerification implements Calling {}

  @Nested
  class Detached extends DetachedVerification implements Calling {}

  @Nested
  class Errors extends ErrorVerification implements Calling {
    @Override
    protected BackendUnderTest unloadable() {
      return broken;
    }
  }

  private static OpenModel open(BackendUnderTest tested, StandInModel echo) {
    return OpenModel.of(
        tested,
        new CallSettings() {
          @Override
          public Map<String, StandInModel> calledModels() {
            return Map.of("echo", echo);
          }
        });
  }

  private static List<List<SampleRequest>> batches(int count, int requests) {
    var three = MemorySegment.ofArray(new float[] {3});
    var x = new Tensor("x", DataType.FP32, Shape.of(1, 1), three);
    List<SampleRequest> batch = Collections.nCopies(requests, SampleRequest.of(List.of(x)));
    return Collections.nCopies(count, batch);
  }

  private static List<Float> values(List<ExecutedBatch> executions) {
    List<Float> values = new ArrayList<>();
    for (ExecutedBatch execution : executions) {
      for (int i = 0; i < execution.requireSound().answers().size(); i++) {
        values.add(
            Objects.requireNonNull(execution.outputs(i).tensors().get("y"))
                .data()
                .get(Elements.FLOAT, 0));
      }
    }
    return values;
  }

  @Test
  void aModelThatWaitsForAnotherLeavesItsInstanceToTheNextBatch() {
    var allWait = new CyclicBarrier(3);
    StandInModel meeting =
        call -> {
          try {
            allWait.await(1, TimeUnit.MINUTES);
          } catch (InterruptedException | BrokenBarrierException | TimeoutException alone) {
            throw InferenceException.internal("not all wait: " + alone);
          }
          return echo(call);
        };
    try (OpenModel model = open(calling, meeting)) {
      assertThat(values(model.runTogether(batches(3, 1)))).containsExactly(3f, 3f, 3f);
    }
  }

  @Test
  void aModelThatComputesKeepsItsInstance() {
    String counting =
        ModelFolder.model(
                "Model",
                """
                int atOnce = computing.incrementAndGet();
                java.util.concurrent.locks.LockSupport.parkNanos(3_000_000);
                computing.decrementAndGet();
                try (var response = calls.infer("echo", request.input("x"))) {
                  return Response.of(TensorArrays.of("y", new float[] {atOnce}, 1, 1));
                }
                """)
            .replace(
                "implements JavaModel {",
                """
                implements JavaModel {
                  private final java.util.concurrent.atomic.AtomicInteger computing =
                      new java.util.concurrent.atomic.AtomicInteger();
                """);
    var folder = new ModelFolder(directory.resolve("counting")).with("Model.java", counting);

    try (OpenModel model = open(folder.underTest(config(7)), CallingModelTest::echo)) {
      assertThat(values(model.runTogether(batches(3, 4)))).hasSize(12).containsOnly(1f);
    }
  }

  @Test
  void theRequestsOfABatchAreAnsweredTogetherIfTheModelWantsThem() {
    String batched =
        ModelFolder.IMPORTS
            + """
            public final class Model implements BatchJavaModel {
              @Override
              public List<Response> infer(List<Request> requests, List<Calls> calls) {
                List<Response> responses = new ArrayList<>();
                for (int i = 0; i < requests.size(); i++) {
                  calls.get(i).infer("echo", requests.get(i).input("x")).close();
                  float[] y = {requests.size()};
                  responses.add(Response.of(TensorArrays.of("y", y, 1, 1)));
                }
                return responses;
              }
            }
            """;
    var folder = new ModelFolder(directory.resolve("batched")).with("Model.java", batched);

    try (OpenModel model = open(folder.underTest(config(7)), CallingModelTest::echo)) {
      assertThat(values(model.runTogether(batches(1, 3)))).containsExactly(3f, 3f, 3f);
    }
  }

  @Test
  void whatTheModelThrowsBehindACallFailsTheRequest() {
    var folder =
        new ModelFolder(directory.resolve("failing"))
            .withBody(
                """
                calls.infer("echo", request.input("x")).close();
                throw new IllegalStateException("no luck");
                """);

    try (OpenModel model = open(folder.underTest(config(0)), CallingModelTest::echo)) {
      var execution = model.runTogether(batches(1, 1)).getFirst();
      assertThat(execution.answers().getFirst())
          .singleElement()
          .asString()
          .contains("infer of class 'Model' failed: java.lang.IllegalStateException: no luck");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "calls.infer(\"echo\", request.input(\"x\")).close();",
        "calls.inferAsync(\"echo\", request.input(\"x\")).get().close();",
        "calls.inferAsync(\"echo\", request.input(\"x\")).join().close();",
        "calls.inferAsync(\"echo\", request.input(\"x\")).thenAccept(r -> r.close()).get();"
      })
  void theFailureOfACalledModelIsThatOfTheRequest(String statement) {
    var folder =
        new ModelFolder(directory.resolve("asking" + statement.hashCode()))
            .withBody(statement + "return Response.of();");
    StandInModel busy =
        call -> {
          throw InferenceException.unavailable("busy");
        };
    BackendUnderTest tested = folder.underTest(config(0));

    try (OpenModel model = open(tested, busy)) {
      var execution = model.runTogether(batches(1, 1)).getFirst();
      assertThat(execution.answers().getFirst())
          .singleElement()
          .isInstanceOfSatisfying(
              Outcome.Failure.class,
              failure -> {
                assertThat(failure.exception().code()).isEqualTo(StatusCode.UNAVAILABLE);
                assertThat(failure.exception()).hasMessage("busy");
              });
    }
    assertThat(tested.context().lines())
        .noneMatch(line -> line.startsWith("WARNING model") || line.startsWith("ERROR"));
  }

  @Test
  void noThreadIsLeftBehindTheClose() throws InterruptedException {
    try (OpenModel model = open(calling, CallingModelTest::echo)) {
      assertThat(values(model.runTogether(batches(2, 2)))).hasSize(4);
    }

    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("java model ")) {
        thread.join(Duration.ofSeconds(20)); // its last task is over, and it is about to end
        assertThat(thread.isAlive()).as("%s is alive", thread).isFalse();
      }
    }
  }
}
