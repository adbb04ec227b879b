package io.nereid.engine.scheduling.ensemble;

import io.nereid.engine.memory.SharedLease;
import io.nereid.engine.scheduling.ensemble.graph.EnsemblePlan;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The values of an ensemble's tensors in one request, as far as they are present. A tensor behind a
 * decoupled step has several values, numbered by iteration from 0.
 */
public final class TensorValues {
  private final EnsemblePlan plan;
  private final List<Map<Integer, TensorValue>> byTensor = new ArrayList<>();

  TensorValues(EnsemblePlan plan, int tensors) {
    this.plan = plan;
    for (int i = 0; i < tensors; i++) {
      byTensor.add(new HashMap<>(2));
    }
  }

  /** Adds a value if the plan uses it; parameters as for {@link TensorValue}. */
  public void put(
      int tensor,
      int iteration,
      @Nullable Tensor value,
      SharedLease memory,
      long rows,
      @Nullable SequenceMark mark) {
    int uses = plan.uses(tensor);
    if (uses > 0) {
      byTensor.get(tensor).put(iteration, new TensorValue(value, memory, rows, mark, uses));
    }
  }

  boolean hasAll(List<Integer> tensors, int iteration) {
    for (int tensor : tensors) {
      if (!byTensor.get(tensor).containsKey(iteration)) {
        return false;
      }
    }
    return true;
  }

  TensorValue get(int tensor, int iteration) {
    return Objects.requireNonNull(byTensor.get(tensor).get(iteration), "no value yet");
  }

  /** Takes one use of each tensor; returns what releases their memory. */
  List<Runnable> take(List<Integer> tensors, int iteration) {
    var releases = new ArrayList<Runnable>(tensors.size());
    for (int tensor : tensors) {
      TensorValue value = get(tensor, iteration);
      releases.add(value.take());
      if (value.isUsedUp()) {
        byTensor.get(tensor).remove(iteration);
      }
    }
    return releases;
  }

  void clear() {
    for (Map<Integer, TensorValue> values : byTensor) {
      values.values().forEach(TensorValue::drop);
      values.clear();
    }
  }
}
