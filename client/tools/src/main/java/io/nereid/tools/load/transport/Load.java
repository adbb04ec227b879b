package io.nereid.tools.load.transport;

import io.nereid.tools.load.arrival.ArrivalQueue;
import java.util.concurrent.TimeoutException;

/**
 * Connections to a server that send the same requests repeatedly, in turn. One thread, which
 * measures the time, calls the methods.
 */
public interface Load extends AutoCloseable {
  /** Starts to send requests that are due. */
  void start();

  /** Signals that a request is due. Any thread may call it. */
  void wake();

  /**
   * Waits until a time.
   *
   * @throws IllegalStateException as soon as the load has failed, for example because the server
   *     ended
   */
  void awaitUntil(long nanoTime) throws InterruptedException;

  /**
   * Waits, after {@link ArrivalQueue#end}, until every request has a response. Requests without one
   * by {@code deadlineNanos} count as errors. The statistics do not change after the return.
   *
   * @throws IllegalStateException if the load failed, for example because the server ended
   * @throws TimeoutException if the load's thread does not end
   */
  void finish(long deadlineNanos) throws InterruptedException, TimeoutException;

  @Override
  void close();
}
