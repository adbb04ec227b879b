package io.nereid.engine.call;

import io.nereid.error.InferenceException;
import io.nereid.spi.ModelCall;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** The check of the memory of a call's inputs, which threads of the called model read. */
final class CallInputs {
  private static final Thread ANY_THREAD = Thread.ofPlatform().unstarted(() -> {});

  private CallInputs() {}

  /**
   * Checks the memory.
   *
   * @throws InferenceException INVALID_ARGUMENT
   */
  static void check(ModelCall call) {
    for (Tensor input : call.inputs()) {
      MemorySegment data = input.data();
      if (!data.scope().isAlive()) {
        throw wrong(
            call, input, "memory that is closed, expected memory that is open until the end");
      }
      if (!data.isNative()) {
        throw wrong(call, input, "memory on the Java heap, expected native memory");
      }
      if (!data.isAccessibleBy(ANY_THREAD)) {
        throw wrong(
            call, input, "memory of a confined arena, expected memory that every thread may read");
      }
    }
  }

  private static InferenceException wrong(ModelCall call, Tensor input, String what) {
    return InferenceException.invalid(
        "input '%s' of a call of model '%s' has %s".formatted(input.name(), call.model(), what));
  }
}
