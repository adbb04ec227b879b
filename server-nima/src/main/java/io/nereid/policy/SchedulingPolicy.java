package io.nereid.policy;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;

/**
 * The decisions of one scheduler. It is told of everything that happens, in order, each time with
 * the time of the decision, and asked to {@link #decide} once what has happened is told. By one
 * thread at a time.
 */
public interface SchedulingPolicy {
  /**
   * The policy that a model's settings ask for, without a request and without an instance.
   *
   * @param maxBatchSize of the model; 0 if it does not batch
   * @param capacity requests that may wait, whatever the settings say
   * @param rule of the model; only batches of {@code dynamic_batching} heed it
   * @throws IllegalArgumentException if the settings are an ensemble's, which has no policy
   */
  static SchedulingPolicy of(
      SchedulingSettings settings, int maxBatchSize, int capacity, BatchingRule rule) {
    return switch (settings) {
      case SchedulingSettings.Direct() -> DynamicBatchingPolicy.direct(capacity);
      case BatchingSettings batching ->
          new DynamicBatchingPolicy(batching, maxBatchSize, capacity, rule);
      case SequenceSettings sequence -> new SequencePolicy(sequence, maxBatchSize, capacity);
      case EnsembleSettings _ ->
          throw new IllegalArgumentException("an ensemble decides nothing on its own");
    };
  }

  /** A request has come. It is refused, or it will be dispatched or refused later. */
  void arrived(Ticket ticket, long now, Steps steps);

  /** A request was called off. Without effect if it does not wait any more. */
  void cancelled(Ticket ticket, long now, Steps steps);

  /**
   * There is another instance, which rests.
   *
   * @param priority of several resting instances the one is called that has the least executions
   *     times this, its opening among them; 0 for all: the lowest
   */
  void instanceAdded(int instance, long priority, long now, Steps steps);

  /**
   * An instance gets no new work any more.
   *
   * <p>What it is running or has promised to run it still runs: {@link #isRemoved} tells when it
   * can be closed.
   */
  void instanceRemoved(int instance, long now, Steps steps);

  /** Whether an instance that was removed will never be dispatched to again. */
  boolean isRemoved(int instance);

  /** A request of the batch that an instance is running wants to run again; before executed. */
  default void rescheduled(Ticket ticket, long now, Steps steps) {
    throw new IllegalStateException("this scheduler cannot run a request again");
  }

  /**
   * An instance asks for a batch: because it was called, or has just executed one. It gets one, or
   * is told to rest.
   */
  void ready(int instance, long now, Steps steps);

  /**
   * An instance has executed its batch, and rests.
   *
   * @param endNanos when the model had ended, before any of the batch's requests was answered
   */
  void executed(int instance, long endNanos, long now, Steps steps);

  /**
   * From now on new work is refused. What waits still runs, and so do requests that go on with a
   * sequence, and steps of ensembles.
   */
  void stopped();

  /** Requests that wait. */
  int waiting();

  /** Whether there is a sequence that clients may still go on with. */
  default boolean hasSequences() {
    return false;
  }

  /**
   * Takes all steps that are due.
   *
   * @return when to ask again though nothing has happened; {@link Ticket#NEVER} if it need not be
   */
  long decide(long now, Steps steps);
}
