package io.nereid.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.tck.TckModels;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each object that lends memory of a pool, used after its close: twice, and by another thread. The
 * pool is that of production, which has lent the memory to other requests by then.
 */
@Timeout(120)
class UseAfterCloseTest {
  private static final ModelKey KEY = new ModelKey("m", 1);

  private final SlabPool pool = new SlabPool(new ArenaAllocator(), 64L << 20);
  private final LogCapture log = new LogCapture("io.nereid.engine");
  private Engine engine;

  @BeforeEach
  void open(@TempDir Path repository) throws IOException {
    TckModels.extractTo(repository);
    engine =
        Engine.start(
            new EngineParts(
                Engine.builder().repository(repository).startWith("simple", "repeat").settings(),
                pool,
                () -> true));
  }

  @AfterEach
  void close() {
    engine.close();
    assertThat(pool.outstanding()).isZero();
    assertThat(log.messages()).noneMatch(line -> line.contains("not released"));
    log.close();
  }

  private ModelResponse infer(int value) {
    int[] all = IntStream.generate(() -> value).limit(16).toArray();
    return engine.infer(
        ModelRequest.to("simple")
            .input("INPUT0", Shape.of(1, 16), all)
            .input("INPUT1", Shape.of(1, 16), new int[16])
            .build());
  }

  /** Each use fails, twice, here and on another thread, while others use the memory. */
  private void assertClosed(List<ThrowingCallable> uses) {
    for (ThrowingCallable use : uses) {
      for (int i = 0; i < 2; i++) {
        try (ModelResponse _ = infer(77)) {
          assertThatIllegalStateException().isThrownBy(use).withMessageContaining("close");
          CompletableFuture.runAsync(() -> assertThatIllegalStateException().isThrownBy(use))
              .join();
        }
      }
    }
  }

  private Tensor tensor(Lease lease) {
    lease.segment().set(Elements.INT, 0, 1);
    return new Tensor("OUT", DataType.INT32, Shape.of(1), lease.segment());
  }

  @Test
  void aResponse() {
    ModelResponse response = infer(1);
    assertThat(response.ints("OUTPUT0")).containsOnly(1);
    response.close();

    assertClosed(
        List.of(
            response::outputs,
            () -> response.output("OUTPUT0"),
            () -> response.ints("OUTPUT0"),
            () -> response.longs("OUTPUT0"),
            () -> response.floats("OUTPUT0"),
            () -> response.doubles("OUTPUT0"),
            () -> response.strings("OUTPUT0")));
    response.close();
    assertThat(response.model().name()).isEqualTo("simple");
    assertThat(response.parameters()).isEmpty();
  }

  @Test
  void aResponseOfAStream() {
    ModelResponses responses =
        engine.stream(
            ModelRequest.to("repeat")
                .input("IN", Shape.of(1), 5)
                .parameter("hold", new Parameter.OfBoolean(true)) // until it is cancelled
                .build());
    ModelResponse first = responses.next().orElseThrow();
    assertThat(first.ints("OUT")).containsExactly(5);
    first.close();
    responses.close();
    responses.close();

    assertClosed(List.of(() -> first.ints("OUT")));
    assertThatThrownBy(responses::next).isInstanceOf(InferenceException.class);
  }

  /** What a backend has given is released once, though its holder closes the response twice. */
  @Test
  void theMemoryOfAResponseIsReleasedOnce() {
    var released = new AtomicInteger();
    Lease lease = pool.lease(4);
    var response =
        new InferenceResponse(
            KEY,
            "",
            Map.of(),
            List.of(tensor(lease)),
            List.of(lease::close, released::incrementAndGet));

    response.close();
    response.close();

    assertThat(released).hasValue(1);
    assertClosed(List.of(response::outputs, () -> response.output("OUT")));
  }

  @Test
  void theResponseAndTheMemoryOfACall() {
    Lease lease = pool.lease(4);
    var response = new CallResponse(KEY, Map.of(), List.of(tensor(lease)), lease::close);
    Lease input = pool.lease(4);
    var memory = new CallMemory(input.segment(), input::close);

    response.close();
    memory.close();

    assertClosed(
        List.of(response::outputs, () -> response.output("OUT"), response::keep, memory::segment));
    assertThatCode(
            () -> {
              response.close();
              memory.close();
            })
        .doesNotThrowAnyException();
  }

  @Test
  void aLease() {
    Lease lease = pool.lease(4);
    lease.close();

    assertClosed(List.of(lease::segment, lease::close));
  }
}
