package io.nereid.client;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a transport must know of a call beside its content.
 *
 * @param deadlineNanos by {@link System#nanoTime()}
 * @param time how long the call may take, of which the deadline was made
 * @param headers lower case names
 * @param signing makes all headers of the request as it is sent, where that is HTTP's or gRPC's;
 *     null if nothing is signed. A {@link NereidException} of it is thrown on, by a stream before
 *     it calls its subscriber
 */
public record CallContext(
    long deadlineNanos,
    Duration time,
    Map<String, String> headers,
    @Nullable Function<WireRequest, Map<String, String>> signing) {
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
