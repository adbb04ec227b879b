package io.nereid.tck.execution;

import io.nereid.request.Parameter;
import io.nereid.tck.support.Outcome;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What a backend has given for one request: the next response, states, and what was sent. */
final class RequestResults {
  private final Map<String, Tensor> tensors = new HashMap<>();
  private final Map<String, Tensor> states = new HashMap<>();
  private final Map<String, Parameter> parameters = new HashMap<>();
  private final List<Outcome> answers = new ArrayList<>();
  private boolean ended;
  private boolean refused;
  private boolean rescheduled;

  /** Whether the request is over; nothing more may be given for it. */
  boolean hasEnded() {
    return ended;
  }

  /** Whether a wrong output has ended it, of which the backend need not know. */
  boolean isRefused() {
    return refused;
  }

  boolean isRescheduled() {
    return rescheduled;
  }

  boolean holds(String output) {
    return tensors.containsKey(output);
  }

  boolean holdsState(String outputName) {
    return states.containsKey(outputName);
  }

  void put(Tensor output) {
    tensors.put(output.name(), output);
  }

  void remove(String output) {
    tensors.remove(output);
  }

  void putState(Tensor state) {
    states.put(state.name(), state);
  }

  void put(String parameter, Parameter value) {
    parameters.put(parameter, value);
  }

  /** Ends the request without a further response. */
  void finish() {
    ended = true;
    tensors.clear();
    parameters.clear();
  }

  void reschedule() {
    rescheduled = true;
    finish();
  }

  void refuse(Outcome.Failure failure) {
    if (!ended) {
      refused = true;
      fail(failure);
    }
  }

  void fail(Outcome.Failure failure) {
    answers.add(failure);
    finish();
  }

  /** Sends a response with copies of the outputs that are wanted and right. */
  void answer(Predicate<Tensor> included, boolean last) {
    Map<String, Tensor> copies = new HashMap<>();
    tensors.forEach((name, tensor) -> {
      if (included.test(tensor)) {
        copies.put(name, onHeap(tensor));
      }
    });
    answers.add(new Outcome.Outputs(copies, parameters));
    tensors.clear();
    parameters.clear();
    ended = last;
  }

  /** Ends a request of a decoupled model at the end of the execution. */
  boolean isEmpty() {
    return tensors.isEmpty() && parameters.isEmpty();
  }

  List<Outcome> answers() {
    return List.copyOf(answers);
  }

  /** The new states, copied. */
  Map<String, Tensor> states() {
    Map<String, Tensor> copies = new HashMap<>();
    states.forEach((name, tensor) -> copies.put(name, onHeap(tensor)));
    return copies;
  }

  private static Tensor onHeap(Tensor tensor) {
    var copy = MemorySegment.ofArray(new byte[Math.toIntExact(tensor.byteSize())]);
    Elements.copy(tensor.data(), copy);
    return new Tensor(tensor.name(), tensor.dataType(), tensor.shape(), copy);
  }
}
