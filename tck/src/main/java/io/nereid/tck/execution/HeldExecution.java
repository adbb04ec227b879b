package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * An execution whose responses are not sent yet, so that the memory of its outputs is in use. Used
 * by one thread at a time.
 */
public record HeldExecution(TestResults results, ExecutedBatch execution) implements AutoCloseable {
  /** Ends an execution; by the thread that has executed the batch. */
  public static HeldExecution of(
      ModelConfig config, TestBatch batch, TestResults results, Violations violations) {
    boolean untouched = batch.inputsAreUntouched();
    var answers = results.collected();
    return new HeldExecution(
        results,
        new ExecutedBatch(
            config.decoupled(), answers, results.states(), violations, untouched, ""));
  }

  /** The memory of the backend that was given and is not released. */
  public List<MemorySegment> given() {
    return results.given().segments();
  }

  /** Releases that memory, once. */
  public void release() {
    results.given().release();
  }

  /** Records a violation if memory of outputs is closed, or has changed. */
  public void checkOutputs() {
    results.requireUnchanged();
  }

  @Override
  public void close() {
    results.close();
  }
}
