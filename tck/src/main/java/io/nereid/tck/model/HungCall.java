package io.nereid.tck.model;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The failure that a method of a backend has not returned in time: names it, and where it is. */
public final class HungCall extends AssertionError {
  private static final long serialVersionUID = 1;
  private static final int FRAMES = 12;

  HungCall(String found) {
    super(found);
  }

  HungCall(String method, Duration limit, StackTraceElement[] where) {
    this(
        "%s has not returned after %d ms; it is at%n%s"
            .formatted(
                method,
                limit.toMillis(),
                Arrays.stream(where)
                    .limit(FRAMES)
                    .map(frame -> "    " + frame)
                    .collect(Collectors.joining(System.lineSeparator()))));
  }
}
