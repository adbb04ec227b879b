package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongFunction;

/**
 * One request of an execution, or a detached one: what a backend gives for it is verified, and
 * refused as the server does. It holds the next response, states, and what was sent.
 */
final class CheckedRequest {
  static final String AFTER_END = "BACKEND-EXEC-13";
  static final String TIMES = "BACKEND-EXEC-14";
  private static final String WRITTEN = "BACKEND-MEMORY-13";

  private final ModelConfig config;
  private final TestBatch batch;
  private final int index;
  private final OutputChecks checks;
  private final Violations violations;
  private final LongFunction<MemorySegment> memory;

  private final Map<String, Tensor> outputs = new HashMap<>();
  private final Map<String, Tensor> states = new HashMap<>();
  private final Map<String, Parameter> parameters = new HashMap<>();
  private final List<Outcome> answers = new ArrayList<>();
  private final List<Sent> sent = new ArrayList<>();
  private boolean ended;

  /** Whether a wrong output has ended it, of which the backend need not know. */
  private boolean refused;

  /** An output, where it lies, and the copy that the client gets. */
  private record Sent(Tensor output, MemorySegment copy) {}

  /** A request for whose outputs {@code memory} has that many bytes. */
  CheckedRequest(
      TestBatch batch, int index, OutputChecks checks, LongFunction<MemorySegment> memory) {
    this.config = checks.config();
    this.batch = batch;
    this.index = index;
    this.checks = checks;
    this.violations = checks.violations();
    this.memory = memory;
  }

  TestBatch batch() {
    return batch;
  }

  int index() {
    return index;
  }

  /** Whether the request is over; nothing more may be given for it. */
  boolean hasEnded() {
    return ended;
  }

  boolean isWanted(String output) {
    return !ended && batch.request(index).outputs().contains(output);
  }

  MemorySegment allocate(String output, DataType dataType, Shape shape, long byteSize) {
    boolean right = isRight(output, dataType, shape, byteSize);
    if (byteSize < 0) {
      throw violations.lastAsFailure();
    }
    var data = memory.apply(byteSize);
    if (right) {
      put(new Tensor(output, dataType, shape, data));
    }
    return data;
  }

  void give(Tensor output) {
    boolean right = isRight(output.name(), output.dataType(), output.shape(), output.byteSize());
    if (right && checks.memory(output)) {
      put(output);
    } else if (right) {
      refuse();
    }
  }

  /** Checks an output, and refuses the request if it is wrong; false if it is to be dropped. */
  private boolean isRight(String output, DataType type, Shape shape, long byteSize) {
    if (!isOpen("given '" + output + "'") || batch.isPadding(index)) {
      return false;
    }
    boolean twice = holds(output);
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

  private long rows() {
    return batch.request(index).rows(config);
  }

  boolean holds(String output) {
    return outputs.containsKey(output);
  }

  void put(Tensor output) {
    outputs.put(output.name(), output);
  }

  void drop(String output) {
    outputs.remove(output);
  }

  /** Checks a state, and refuses the request if it is wrong; false if it is to be dropped. */
  boolean isStateRight(TensorConfig declared, DataType type, Shape shape, long byteSize) {
    String name = declared.name();
    boolean twice = states.containsKey(name);
    if (twice) {
      violations.add(
          OutputChecks.NAMES, "request %d is given state '%s' twice".formatted(index, name));
    }
    if (batch.isPadding(index) || ended) {
      return false;
    }
    boolean right = !twice && checks.value(declared, type, shape, byteSize, rows(), false);
    if (!right) {
      refuse();
    }
    return right;
  }

  void putState(Tensor state) {
    states.put(state.name(), state);
  }

  /** Fails the request because of the last violation, unless it has ended. */
  void refuse() {
    if (!ended) {
      refused = true;
      end(violations.lastAsFailure());
    }
  }

  void parameter(String name, Parameter value) {
    Objects.requireNonNull(name);
    Objects.requireNonNull(value);
    if (isOpen("given parameter '" + name + "'")) {
      parameters.put(name, value);
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

  /** Sends copies of the outputs that are wanted and right. */
  private void answer(boolean last) {
    outputs.values().removeIf(tensor -> !isWanted(tensor.name()) || !checks.content(tensor));
    var response = new Outcome.Outputs(copies(outputs), parameters);
    answers.add(response);
    outputs.forEach(
        (name, output) -> sent.add(new Sent(output, Tensors.named(response, name).data())));
    outputs.clear();
    parameters.clear();
    ended = last;
  }

  /** Checks that what was sent is as it was then: the server reads it until it has left. */
  void requireUnchanged() {
    for (Sent each : sent) {
      var data = each.output().data();
      if (data.scope().isAlive() && data.mismatch(each.copy()) != -1) {
        violations.add(
            WRITTEN,
            "output '%s' of request %d is written after it was sent"
                .formatted(each.output().name(), index));
      }
    }
  }

  void finish() {
    if (!config.decoupled()) {
      throw violations.add(
          AFTER_END,
          "request %d of a model that is not decoupled is finished unanswered".formatted(index));
    }
    if (requireOpen("finished")) {
      end();
    }
  }

  void reschedule() {
    if (requireOpen("rescheduled")) {
      end();
    }
  }

  void fail(InferenceException failure) {
    Objects.requireNonNull(failure);
    if (isOpen("failed")) {
      end(failure);
    }
  }

  private void end(InferenceException failure) {
    answers.add(new Outcome.Failure(failure));
    end();
  }

  /** Ends the request without a further response. */
  private void end() {
    ended = true;
    outputs.clear();
    parameters.clear();
  }

  /** What was sent, once the execution is over: a request that is open gets what it has. */
  List<Outcome> collected() {
    requireUnchanged();
    boolean isEmpty = outputs.isEmpty() && parameters.isEmpty();
    if (!ended && !(config.decoupled() && isEmpty)) {
      answer(true);
    }
    return List.copyOf(answers);
  }

  /** The new states, copied. */
  Map<String, Tensor> states() {
    return copies(states);
  }

  private static Map<String, Tensor> copies(Map<String, Tensor> tensors) {
    Map<String, Tensor> copies = new HashMap<>();
    tensors.forEach((name, tensor) -> copies.put(name, Tensors.copy(tensor)));
    return copies;
  }

  /** Whether something may be given; false and a violation after the end. */
  private boolean isOpen(String what) {
    if (ended && !refused) {
      violations.add(AFTER_END, "request %d is %s after its end".formatted(index, what));
    }
    return !ended;
  }

  /**
   * Whether something may be done; false if the request was refused.
   *
   * @throws IllegalStateException after the end
   */
  boolean requireOpen(String what) {
    if (!isOpen(what) && !refused) {
      throw new IllegalStateException("request %d is %s after its end".formatted(index, what));
    }
    return !refused;
  }
}
