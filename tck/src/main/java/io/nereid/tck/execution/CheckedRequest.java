package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tck.support.Outcome;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.LongFunction;

/**
 * One request of an execution, or a detached one: what a backend gives for it is verified, and
 * refused as the server does.
 *
 * @param memory for outputs of that many bytes
 * @param results what was given
 */
record CheckedRequest(
    ModelConfig config,
    TestBatch batch,
    int index,
    OutputChecks checks,
    Violations violations,
    LongFunction<MemorySegment> memory,
    RequestResults results) {
  static final String AFTER_END = "BACKEND-EXEC-13";
  static final String TIMES = "BACKEND-EXEC-14";

  long rows() {
    return batch.request(index).rows(config);
  }

  boolean isWanted(String output) {
    return !results.hasEnded() && batch.request(index).outputs().contains(output);
  }

  MemorySegment allocate(String output, DataType dataType, Shape shape, long byteSize) {
    boolean right = isRight(output, dataType, shape, byteSize);
    if (byteSize < 0) {
      throw InferenceException.internal(violations.texts().getLast());
    }
    var data = memory.apply(byteSize);
    if (right) {
      results.put(new Tensor(output, dataType, shape, data));
    }
    return data;
  }

  void give(Tensor output) {
    boolean right = isRight(output.name(), output.dataType(), output.shape(), output.byteSize());
    if (right && checks.memory(output)) {
      results.put(output);
    } else if (right) {
      refuse();
    }
  }

  /** Checks an output, and refuses the request if it is wrong; false if it is to be dropped. */
  private boolean isRight(String output, DataType type, Shape shape, long byteSize) {
    if (!isOpen("given '" + output + "'") || batch.isPadding(index)) {
      return false;
    }
    boolean twice = results.holds(output);
    if (twice) {
      violations.add(
          OutputChecks.NAMES, "request %d is given output '%s' twice".formatted(index, output));
    }
    boolean right =
        !twice
            && checks.name(output)
            && checks.value(
                config.output(output).orElseThrow(), type, shape, byteSize, rows(), false);
    if (!right) {
      refuse();
    }
    return right;
  }

  /** Fails the request because of the last violation. */
  void refuse() {
    var wrong = InferenceException.internal(violations.texts().getLast());
    results.refuse(new Outcome.Failure(wrong));
  }

  void parameter(String name, Parameter value) {
    Objects.requireNonNull(name);
    Objects.requireNonNull(value);
    if (isOpen("given parameter '" + name + "'")) {
      results.put(name, value);
    }
  }

  /** Whether it is traced: either may be, and a backend has to bear both. */
  boolean isTraced() {
    return batch.request(index).id().isEmpty();
  }

  void activity(String name) {
    if (batch.isPadding(index) || name.isEmpty()) {
      violations.add(
          TIMES, "request %d: activity '%s' of no request or no name".formatted(index, name));
    }
  }

  /** Sends a response; false if the request was refused. */
  boolean send() {
    boolean isOpen = requireOpen("sent");
    if (isOpen) {
      answer(!config.decoupled());
    }
    return isOpen;
  }

  /** Sends what was given and is wanted. */
  void answer(boolean last) {
    results.answer(tensor -> isWanted(tensor.name()) && checks.content(tensor), last);
  }

  void finish() {
    if (!config.decoupled()) {
      throw violations.add(
          AFTER_END,
          "request %d of a model that is not decoupled is finished unanswered".formatted(index));
    }
    if (requireOpen("finished")) {
      results.finish();
    }
  }

  void fail(InferenceException failure) {
    Objects.requireNonNull(failure);
    if (isOpen("failed")) {
      results.fail(new Outcome.Failure(failure));
    }
  }

  /** Whether something may be given; false and a violation after the end. */
  private boolean isOpen(String what) {
    if (results.isRefused()) {
      return false;
    }
    if (results.hasEnded()) {
      violations.add(AFTER_END, "request %d is %s after its end".formatted(index, what));
      return false;
    }
    return true;
  }

  /**
   * Whether something may be done; false if the request was refused.
   *
   * @throws IllegalStateException after the end
   */
  boolean requireOpen(String what) {
    if (!isOpen(what) && !results.isRefused()) {
      throw new IllegalStateException("request %d is %s after its end".formatted(index, what));
    }
    return !results.isRefused();
  }
}
