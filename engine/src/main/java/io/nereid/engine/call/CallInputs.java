package io.nereid.engine.call;

import io.nereid.error.InferenceException;
import io.nereid.spi.ModelCall;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The check of what a call names, and of the memory of its inputs, which threads of the called
 * model read. What is wrong is a mistake of the calling model, and no client's.
 */
final class CallInputs {
  private static final Thread ANY_THREAD = Thread.ofPlatform().unstarted(() -> {});

  private CallInputs() {}

  /**
   * Checks a call.
   *
   * @param caller the name of the calling model
   * @throws InferenceException INTERNAL
   */
  static void check(String caller, ModelCall call) {
    List<Tensor> inputs = call.inputs();
    for (int i = 0; i < inputs.size(); i++) {
      String name = inputs.get(i).name();
      checkMemory(caller, call, inputs.get(i));
      for (int k = 0; k < i; k++) {
        if (name.equals(inputs.get(k).name())) {
          throw wrong(caller, call, "input '%s' is given twice".formatted(name));
        }
      }
    }
    List<String> outputs = call.outputs();
    for (int i = 1; i < outputs.size(); i++) {
      if (outputs.indexOf(outputs.get(i)) < i) {
        throw wrong(caller, call, "output '%s' is asked for twice".formatted(outputs.get(i)));
      }
    }
  }

  private static void checkMemory(String caller, ModelCall call, Tensor input) {
    MemorySegment data = input.data();
    String what =
        !data.scope().isAlive()
            ? "memory that is closed, expected memory that is open until the end"
            : !data.isNative()
                ? "memory on the Java heap, expected native memory"
                : !data.isAccessibleBy(ANY_THREAD)
                    ? "memory of a confined arena, expected memory that every thread may read"
                    : "";
    if (!what.isEmpty()) {
      throw wrong(caller, call, "input '%s' has %s".formatted(input.name(), what));
    }
  }

  private static InferenceException wrong(String caller, ModelCall call, String what) {
    return InferenceException.internal(
        "model '%s' called model '%s': %s".formatted(caller, call.model(), what));
  }
}
