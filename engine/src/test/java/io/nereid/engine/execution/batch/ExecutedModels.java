package io.nereid.engine.execution.batch;

import io.nereid.config.ModelConfig;
import io.nereid.engine.call.CallingModel;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.spi.Model;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Models without input memory of their own, states and calls. */
public final class ExecutedModels {
  private ExecutedModels() {}

  public static ExecutedModel of(
      ModelConfig config,
      Model model,
      BufferPool pool,
      LongSupplier clock,
      ModelStatistics statistics) {
    CallingModel calls = withoutCalls(config.name(), clock);
    return new ExecutedModel(config, model, statistics, calls, pool, pool, Map.of());
  }

  /** A model that calls no other. */
  static CallingModel withoutCalls(String name, LongSupplier clock) {
    return new CallingModel(
        name,
        (called, _) -> {
          throw CallingModel.undeclared(name, called, List.of());
        },
        clock);
  }
}
