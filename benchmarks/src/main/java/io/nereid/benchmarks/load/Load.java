package io.nereid.benchmarks.load;

import java.util.concurrent.TimeoutException;

/**
 * Connections to a server that carry one request again and again. Methods are called by the thread
 * of {@link LoadRun}.
 */
interface Load extends AutoCloseable {
  /** Begins to send what is due. */
  void start();

  /** Says that something is due. From any thread. */
  void wake();

  /**
   * Waits, after {@link Arrivals#end}, until every request is answered; what is not by {@code
   * deadlineNanos} is a failure in the tally. Afterwards nobody writes to the tally.
   *
   * @throws IllegalStateException if the load could not go on, for one because the server is gone
   * @throws TimeoutException if the load's thread did not end
   */
  void finish(long deadlineNanos) throws InterruptedException, TimeoutException;

  @Override
  void close();
}
