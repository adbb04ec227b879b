package io.nereid.tools.load.transport;

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
  default void refused(long dueNanos) {
    failed(dueNanos, "the server is overloaded");
  }

  /** The deadline of a request has passed. */
  default void late(long dueNanos) {
    failed(dueNanos, "the deadline has passed");
  }

  /** A request was not sent, since too many others were in flight. */
  default void unsent(long dueNanos) {
    failed(dueNanos, "the request was not sent");
  }

  /**
   * A request has failed for another reason.
   *
   * @param dueNanos the time at which the request was due, or a later one if it got no response
   */
  void failed(long dueNanos, String reason);
}
