package io.nereid.engine.execution;

import io.nereid.engine.execution.batch.BatchExecutions;
import io.nereid.engine.execution.batch.DispatchedBatch;
import io.nereid.spi.PipelinedInstance;
import java.util.List;

/**
 * The batches in flight of a pipelined instance, which are finished in the order of their start.
 * Used by the instance's thread.
 */
final class Pipeline implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Pipeline.class.getName());

  private final PipelinedInstance instance;

  /** A ring: those in flight from {@link #oldest} on, then the one to fill and start next. */
  private final List<BatchExecutions> executions;

  private int oldest;
  private int inFlight;

  /** Whether the batch that has ended last was not executed to its end. */
  private boolean cutShort;

  /** Whether the instance failed to tell its state: then only {@link #finish} can. */
  private boolean unknown;

  /**
   * @param executions one for each batch in flight; taken
   */
  Pipeline(PipelinedInstance instance, List<BatchExecutions> executions) {
    this.instance = instance;
    this.executions = executions;
  }

  boolean isEmpty() {
    return inFlight == 0;
  }

  boolean isFull() {
    return inFlight == executions.size();
  }

  /** Whether another batch can be started now. */
  boolean canStart() {
    if (isEmpty()) {
      return true;
    }
    try {
      return !isFull() && !unknown && instance.canStart();
    } catch (Throwable thrown) { // the batches in flight must be finished
      return unknown(thrown);
    }
  }

  /** Whether {@link #finish} would not wait; with a batch in flight. */
  boolean isFinished() {
    try {
      return unknown || instance.isFinished();
    } catch (Throwable thrown) { // the batches in flight must be finished
      return !unknown(thrown);
    }
  }

  private boolean unknown(Throwable thrown) {
    LOG.log(System.Logger.Level.ERROR, "an instance failed to tell its state", thrown);
    unknown = true;
    return false;
  }

  /** The batch to fill before {@link #start}; while the pipeline is not full. */
  DispatchedBatch next() {
    return newest().dispatched();
  }

  /**
   * Starts the filled batch.
   *
   * @return whether it is in flight; otherwise its requests have failed
   */
  boolean start() {
    boolean started = newest().start(instance);
    cutShort = !started;
    if (started) {
      inFlight++;
    }
    return started;
  }

  /** The end of the computation that a batch had which failed to start. */
  long failedEnd() {
    return newest().computeEnd();
  }

  /** Finishes the oldest batch; returns the end of its computation. */
  long finish() {
    BatchExecutions finished = executions.get(oldest);
    oldest = (oldest + 1) % executions.size();
    inFlight--;
    unknown = false;
    finished.finish(instance);
    cutShort = finished.isCutShort();
    return finished.computeEnd();
  }

  /** Whether the batch that has ended last was cancelled or has failed before its end. */
  boolean isCutShort() {
    return cutShort;
  }

  private BatchExecutions newest() {
    return executions.get((oldest + inFlight) % executions.size());
  }

  @Override
  public void close() {
    executions.forEach(BatchExecutions::close);
  }
}
