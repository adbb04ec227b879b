package io.nereid.config;

/**
 * {@code ModelQueuePolicy}: how many requests of a priority level may wait, and for how long.
 *
 * @param timeoutAction what happens to a request whose timeout expires
 * @param defaultTimeoutMicros how long a request may wait; 0 for no limit
 * @param allowTimeoutOverride whether a request may set a shorter timeout
 * @param maxQueueSize number of requests, not rows, that may wait; 0 for no limit
 */
public record QueuePolicy(
    TimeoutAction timeoutAction,
    long defaultTimeoutMicros,
    boolean allowTimeoutOverride,
    long maxQueueSize) {
  /** What happens to a request whose timeout expires. */
  public enum TimeoutAction {
    /** The request is rejected. */
    REJECT,
    /** The request waits on, behind all others of its level. */
    DELAY
  }

  /** No timeout, no limit. */
  public static final QueuePolicy NONE = new QueuePolicy(TimeoutAction.REJECT, 0, false, 0);
}
