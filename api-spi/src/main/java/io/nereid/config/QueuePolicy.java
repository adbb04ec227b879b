package io.nereid.config;

/**
 * {@code ModelQueuePolicy}: how long requests of a priority level may wait, and how many.
 *
 * @param timeoutAction what becomes of a request whose time is over
 * @param defaultTimeoutMicros how long a request may wait; 0 sets no limit
 * @param allowTimeoutOverride whether a request's own timeout counts where it is shorter
 * @param maxQueueSize requests that may wait, rows not counted; 0 sets no limit
 */
public record QueuePolicy(
    TimeoutAction timeoutAction,
    long defaultTimeoutMicros,
    boolean allowTimeoutOverride,
    long maxQueueSize) {
  /** What becomes of a request whose time is over. */
  public enum TimeoutAction {
    /** It fails. */
    REJECT,
    /** It goes on waiting behind all others of its level. */
    DELAY
  }

  /** No timeout, no limit. */
  public static final QueuePolicy NONE = new QueuePolicy(TimeoutAction.REJECT, 0, false, 0);
}
