package io.nereid.client;

import org.jspecify.annotations.Nullable;

/**
 * An output that a request asks for.
 *
 * @param classes if above 0, the answer has that many best classes as BYTES {@code
 *     value:index:label} instead of values
 * @param region where the server writes the output, instead of sending it
 */
public record RequestedOutput(String name, int classes, @Nullable SharedRegion region) {
  public RequestedOutput {
    if (classes < 0 || (classes > 0 && region != null)) {
      throw new IllegalArgumentException(
          "output '%s': classes are 0 or more, and not for shared memory".formatted(name));
    }
  }
}
