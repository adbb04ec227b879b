package io.nereid.benchmarks.load.transport;

/** The receiver of what becomes of the requests of a load. Called by the load's thread. */
public interface Outcomes {
  /**
   * A request was answered.
   *
   * @param dueNanos the time at which the request was due
   * @param nowNanos the time at which the response was complete
   * @param length length of the message or body
   * @param bytes number of bytes read, if the transport knows it
   */
  void succeeded(long dueNanos, long nowNanos, long length, long bytes);

  /** The server has refused a request because of its load. */
  void refused(long dueNanos);

  /** The deadline of a request has passed. */
  void late(long dueNanos);

  /** A request was not sent, since too many others were in flight. */
  void unsent(long dueNanos);

  /** A request has failed for another reason. */
  void failed(String reason);
}
