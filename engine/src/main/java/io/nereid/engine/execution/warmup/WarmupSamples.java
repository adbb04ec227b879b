package io.nereid.engine.execution.warmup;

import java.util.List;

/**
 * The samples of a model version and the memory of their data. Closed by the thread that loads.
 *
 * @param samples in the order of the configuration; valid until {@link #close}
 */
public record WarmupSamples(List<WarmupSample> samples, SampleData data) implements AutoCloseable {
  public WarmupSamples {
    samples = List.copyOf(samples);
  }

  /** Frees the data. */
  @Override
  public void close() {
    data.close();
  }
}
