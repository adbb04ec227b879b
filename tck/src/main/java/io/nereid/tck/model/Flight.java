package io.nereid.tck.model;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.PipelinedInstance;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.execution.TestResults;

/**
 * A batch of a pipelined instance, from its start to its finish. Used by the thread of an {@link
 * OpenModel}; its memory ends with it.
 *
 * @param batch owned
 * @param results owned
 */
public record Flight(ModelConfig config, TestBatch batch, TestResults results) {
  /** Finishes this batch, which is the oldest in flight, and ends its memory. */
  public ExecutedBatch finish(PipelinedInstance instance) {
    try (batch;
        results) {
      try {
        instance.finish();
      } catch (InferenceException failure) {
        results.failOpen(failure);
      }
      return OpenModel.ended(config, batch, results, CallSettings.DEFAULT.maxCall());
    }
  }
}
