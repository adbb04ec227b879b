package io.nereid.java;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.request.ModelKey;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls that do not wait, of inputs from arrays. */
class CallsTest {
  private final CompletableFuture<CallResponse> response = new CompletableFuture<>();
  private final AtomicInteger freed = new AtomicInteger();

  private final Calls calls =
      new Calls(
          new ModelCalls() {
            @Override
            public CompletableFuture<CallResponse> inferAsync(ModelCall call) {
              return response;
            }

            @Override
            public CallMemory allocate(String model, long byteSize) {
              return new CallMemory(Arena.ofAuto().allocate(byteSize), freed::incrementAndGet);
            }

            @Override
            public CallResponse infer(ModelCall call) {
              throw new AssertionError();
            }

            @Override
            public CallResponses stream(ModelCall call) {
              throw new AssertionError();
            }
          });

  private CompletableFuture<CallResponse> call() {
    return calls.inferAsync("m", TensorArrays.of("x", new float[] {1}, 1));
  }

  @Test
  void theMemoryOfItsInputsIsFreedWithItsEnd() {
    CompletableFuture<CallResponse> made = call();
    assertThat(freed).hasValue(0);

    response.complete(new CallResponse(new ModelKey("m", 1), Map.of(), List.of(), () -> {}));

    assertThat(made).isCompleted();
    assertThat(freed).hasValue(1);
  }

  /** The called model may read its inputs until the request ends, which frees them then. */
  @Test
  void itIsCancelledByItsFuture() {
    assertThat(call().cancel(true)).isTrue();

    assertThat(response).isCancelled();
    assertThat(freed).hasValue(0);
  }
}
