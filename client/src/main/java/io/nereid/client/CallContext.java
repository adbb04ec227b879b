package io.nereid.client;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a transport must know of a call beside its content.
 *
 * @param deadlineNanos by {@link System#nanoTime()}
 * @param time how long the call may take, of which the deadline was made
 * @param headers lower case names
 */
public record CallContext(long deadlineNanos, Duration time, Map<String, String> headers) {
  /** The time until the deadline; 0 or less once it has passed. */
  public long nanosLeft() {
    return deadlineNanos - System.nanoTime();
  }

  /** The failure of a call whose deadline has passed. */
  public NereidException late(String asked, boolean mayHaveRun, @Nullable Throwable cause) {
    return new NereidException(
        ErrorCode.DEADLINE_EXCEEDED, asked, Sentences.deadline(time), mayHaveRun, null, cause);
  }
}
