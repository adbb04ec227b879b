package io.nereid.engine.execution.warmup;

import java.util.List;

/** The samples of a model version and the memory of their data. Closed by the thread that loads. */
public final class WarmupSamples implements AutoCloseable {
  private final List<WarmupSample> samples;
  private final SampleData data;

  WarmupSamples(List<WarmupSample> samples, SampleData data) {
    this.samples = List.copyOf(samples);
    this.data = data;
  }

  /** The samples, in the order of the configuration; valid until {@link #close}. */
  public List<WarmupSample> samples() {
    return samples;
  }

  /** Frees the data. */
  @Override
  public void close() {
    data.close();
  }
}
