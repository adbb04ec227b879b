package io.nereid.tck.support;

import io.nereid.error.InferenceException;
import io.nereid.spi.PipelinedInstance;
import java.util.List;

/**
 * A batch of a pipelined instance, from its start to its finish. Used by the thread of an {@link
 * OpenModel}; its memory ends with it.
 *
 * @param batch owned
 * @param results owned
 */
public record Flight(TestBatch batch, TestResults results) implements AutoCloseable {
  /** Finishes this batch, which is the oldest in flight, and ends its memory. */
  public OpenModel.Execution finish(PipelinedInstance instance) {
    try (this) {
      try {
        instance.finish();
      } catch (InferenceException failure) {
        results.failOpen(failure);
      }
      boolean untouched = batch.inputsAreUntouched();
      List<List<Outcome>> answers = results.answers();
      return new OpenModel.Execution(answers, results.states(), results.violations(), untouched);
    }
  }

  @Override
  public void close() {
    results.close();
    batch.close();
  }
}
