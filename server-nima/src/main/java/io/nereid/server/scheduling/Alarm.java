package io.nereid.server.scheduling;

/** Runs something at a time. */
public interface Alarm extends AutoCloseable {
  /**
   * Has the alarm go off once at that time, or at once if that is over; replaces what was set
   * before. By one thread at a time.
   *
   * @param nanos of the alarm's clock; {@link io.nereid.server.request.Ticket#NEVER} for not at all
   */
  void set(long nanos);

  /** Ends the alarm. */
  @Override
  void close();
}
