package io.nereid.junit.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import io.nereid.error.InferenceException;
import io.nereid.java.Calls;
import io.nereid.java.JavaModel;
import io.nereid.java.ModelContext;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.java.TensorArrays;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.ModelCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ModelTesterTest {
  private static final String FLOATS =
      """
      input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] }
      output { name: "y" data_type: TYPE_FP32 dims: [ -1 ] }
      """;

  private static final String CALLS =
      """
      parameters { key: "calls" value: { string_value: "half" } }
      """;

  @TempDir Path models;

  @BeforeEach
  void makeModels() throws IOException {
    write("quarter/config.pbtxt", "backend: \"java\"\n" + FLOATS + CALLS);
    write("half/config.pbtxt", "platform: \"onnxruntime_onnx\"\n" + FLOATS);
  }

  private void write(String file, String text) throws IOException {
    Path path = models.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private ModelTester.Builder unstubbed(Class<?> type) {
    return ModelTester.of(models.resolve("quarter")).code(type);
  }

  private ModelTester.Builder quarter(Class<?> type) {
    return unstubbed(type).stub("half", ModelTesterTest::half);
  }

  private static Response half(Request request, Calls calls) {
    float[] x = TensorArrays.floats(request.input("x"));
    for (int i = 0; i < x.length; i++) {
      x[i] /= 2;
    }
    return Response.of(TensorArrays.of("y", x, x.length));
  }

  private static InferRequest request(float... x) {
    return InferRequest.to("quarter").input("x", Tensor.of(x)).build();
  }

  /** Calls the other model twice. */
  public static final class Quarter implements JavaModel {
    @Override
    public Response infer(Request request, Calls calls) {
      try (CallResponse half = calls.infer("half", request.input("x"));
          CallResponse quarter = calls.infer("half", half.output("y").named("x"))) {
        float[] y = TensorArrays.floats(quarter.output("y"));
        return Response.of(TensorArrays.of("y", y, y.length));
      }
    }
  }

  @Test
  void aModelGetsInputsAndTheAnswersOfItsStubs() throws IOException {
    try (ModelTester tester = quarter(Quarter.class).open()) {
      InferResponse response = tester.client().infer(request(4, 8));

      assertThat(response.output("y").floats()).containsExactly(1, 2);
      assertThat(tester.leaks()).isEmpty();
      assertThat(tester.engine().configuration("quarter").calls()).containsExactly("half");
    }
  }

  @Test
  void theCodeOfTheFolderIsCompiledAsInAServer() throws IOException {
    write(
        "quarter/1/Quarter.java",
        """
        import io.nereid.java.*;

        public final class Quarter implements JavaModel {
          public Response infer(Request request, Calls calls) {
            try (var half = calls.infer("half", request.input("x"))) {
              float[] y = TensorArrays.floats(half.output("y"));
              return Response.of(TensorArrays.of("y", new float[] {y[0] / 2}, 1));
            }
          }
        }
        """);
    try (ModelTester tester =
        ModelTester.of(models.resolve("quarter")).stub("half", ModelTesterTest::half).open()) {
      assertThat(tester.client().infer(request(4)).output("y").floats()).containsExactly(1);
    }
    write("quarter/1/Quarter.java", "class Quarter { int x = y; }");
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            ModelTester.of(models.resolve("quarter")).stub("half", ModelTesterTest::half).open())
        .withMessageContaining("Quarter.java:1: cannot find symbol");
  }

  @Test
  void aStubThatFailsFailsTheCall() throws IOException {
    try (ModelTester tester =
        unstubbed(Quarter.class)
            .stub(
                "half",
                FLOATS,
                (request, calls) -> {
                  throw InferenceException.unavailable("no half today");
                })
            .open()) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> tester.client().infer(request(4)))
          .satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(failure.sentence()).contains("no half today");
          });
    }
  }

  @Test
  void aStubThatThrowsIsNamedByItsModel() throws IOException {
    try (ModelTester tester =
        unstubbed(Quarter.class)
            .stub(
                "half",
                (request, calls) -> {
                  throw new IllegalStateException("no half");
                })
            .open()) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> tester.client().infer(request(4)))
          .satisfies(failure ->
              assertThat(failure.sentence())
                  .isEqualTo(
                      "model 'quarter' called model 'half': model 'half': infer of its lambda"
                          + " failed: java.lang.IllegalStateException: no half"));
    }
  }

  /** Reads an output whose response is closed. */
  public static final class Late implements JavaModel {
    @Override
    public Response infer(Request request, Calls calls) {
      io.nereid.tensor.Tensor half;
      try (CallResponse response = calls.infer("half", request.input("x"))) {
        half = response.output("y");
      }
      float[] y = TensorArrays.floats(half);
      return Response.of(TensorArrays.of("y", y, y.length));
    }
  }

  @Test
  void anOutputThatIsReadBehindTheCloseOfItsResponseFails() throws IOException {
    try (ModelTester tester = quarter(Late.class).open()) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> tester.client().infer(request(4)))
          .satisfies(failure ->
              assertThat(failure.sentence())
                  .isEqualTo(
                      "model 'quarter': tensor 'y' is read too late: its response is closed, or its"
                          + " request has ended"));
    }
  }

  /** Leaves open what it can. */
  public static final class Careless implements JavaModel {
    @Override
    public void open(ModelContext context) {
      var session = context.calls().begin(Duration.ofMinutes(1));
      var memory = session.allocate("half", 4);
      memory.close();
    }

    @Override
    public Response infer(Request request, Calls calls) {
      CallResponse response = calls.infer("half", request.input("x"));
      CallResponse later = calls.inferAsync("half", request.input("x")).join();
      CallMemory memory = calls.all().allocate("half", 12);
      var stream = calls.all().stream(ModelCall.to("half").input("x", request.input("x")).build());
      stream.next().orElseThrow().close();
      return Response.of(
          TensorArrays.of(
              "y",
              new float[] {response.outputs().size() + later.outputs().size(), memory.hashCode()},
              2));
    }
  }

  @Test
  void whatAModelLeavesOpenIsALeak() throws IOException {
    String half = "model 'quarter' has not closed the response of its call of model 'half'";
    ModelTester tester = quarter(Careless.class).open();
    var _ = tester.client().infer(request(4));

    assertThat(tester.leaks())
        .containsExactly(
            half,
            half,
            "model 'quarter' has not closed 12 bytes of memory for a call of model 'half'",
            "model 'quarter' has not closed the stream of its call of model 'half'");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(tester::close)
        .withMessage("model 'quarter' has not closed a session of calls of its own");
  }

  /** Waits until it is cancelled. */
  public static final class Patient implements JavaModel {
    @Override
    public Response infer(Request request, Calls calls) {
      while (!request.isCancelled()) {
        LockSupport.parkNanos(1_000_000);
      }
      throw InferenceException.cancelled();
    }
  }

  @Test
  void aModelIsCancelledWhileItExecutes() throws IOException {
    try (ModelTester tester = quarter(Patient.class).open()) {
      CompletableFuture<InferResponse> answer = tester.client().inferAsync(request(4));

      tester.awaitExecution();
      answer.cancel(true);

      tester.awaitEnd();
    }
  }

  @Test
  void aCallIsCancelledWithTheRequest() throws IOException {
    var called = new CountDownLatch(1);
    var cancelled = new CountDownLatch(1);
    try (ModelTester tester =
        unstubbed(Quarter.class)
            .stub(
                "half",
                (request, calls) -> {
                  called.countDown();
                  while (!request.isCancelled()) {
                    LockSupport.parkNanos(1_000_000);
                  }
                  cancelled.countDown();
                  throw InferenceException.cancelled();
                })
            .open()) {
      CompletableFuture<InferResponse> answer = tester.client().inferAsync(request(4));
      called.await();
      answer.cancel(true);
      cancelled.await();
      tester.awaitEnd();
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Waits for a call that it has begun. */
  public static final class Later implements JavaModel {
    @Override
    public Response infer(Request request, Calls calls) throws Exception {
      try (CallResponse half = calls.inferAsync("half", request.input("x")).get()) {
        return Response.of(half.output("y"));
      }
    }
  }

  @Test
  void theFailureOfACallThatWasBegunIsThatOfTheRequest() throws IOException {
    try (ModelTester tester =
        unstubbed(Later.class)
            .stub(
                "half",
                FLOATS,
                (request, calls) -> {
                  throw InferenceException.unavailable("busy");
                })
            .open()) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> tester.client().infer(request(4)))
          .satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(failure.sentence()).isEqualTo("model 'quarter' called model 'half': busy");
          });
    }
  }

  @Test
  void theTemporaryRepositoryGoesAndTheModelStays() throws IOException {
    TestRepository repository = TestRepository.of(models.resolve("quarter"));
    repository.addStub("half", null);
    assertThat(repository.directory().resolve("quarter/1")).isDirectory();
    assertThat(repository.directory().resolve("half/config.pbtxt")).exists();

    repository.close();
    repository.close();

    assertThat(repository.directory()).doesNotExist();
    assertThat(models.resolve("quarter/config.pbtxt")).exists();
  }
}
