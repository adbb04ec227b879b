package io.nereid.engine.execution.batch;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.State;
import io.nereid.engine.call.CallingModel;
import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.execution.sequence.SequenceState;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.request.ModelKey;
import io.nereid.spi.Model;
import io.nereid.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model version as its instances execute it.
 *
 * @param statistics those of the model version
 * @param calls of other models
 * @param pool memory for outputs and states
 * @param inputPool memory for gathered batches and the inputs of the warm-up
 * @param initialStates the states of a new sequence, by input name
 */
public record ExecutedModel(
    ModelConfig config,
    Model model,
    ModelStatistics statistics,
    CallingModel calls,
    BufferPool pool,
    BufferPool inputPool,
    Map<String, Tensor> initialStates) {
  public ExecutedModel {
    initialStates = Map.copyOf(initialStates);
  }

  /** The same model as a sample of the warm-up wants it. */
  public ExecutedModel with(ModelConfig otherConfig, Map<String, Tensor> otherStates) {
    Map<String, Tensor> states = new HashMap<>(initialStates);
    states.putAll(otherStates);
    return new ExecutedModel(otherConfig, model, statistics, calls, pool, inputPool, states);
  }

  public ModelKey key() {
    return statistics.model();
  }

  /** Nanoseconds, never negative: the clock of the requests' arrival times. */
  public LongSupplier clock() {
    return calls.clock();
  }

  DeclaredOutputs outputs() {
    return new DeclaredOutputs(config, key(), model::isShapeHint, statistics::isFirst);
  }

  /** Returns the states of a new sequence, which the caller closes; null if the model has none. */
  public @Nullable SequenceState newState() {
    List<State> states = config.sequence().map(SequenceSettings::states).orElse(List.of());
    return states.isEmpty() ? null : new SequenceState(states, initialStates, pool);
  }
}
