package io.nereid.server.http.message;

/**
 * Limits of a request's head.
 *
 * @param requestLineSize in bytes; 414 beyond it
 * @param headerSize all header fields together, in bytes; 431 beyond it
 * @param headerCount the number of header fields; 431 beyond it
 */
public record HeadLimits(int requestLineSize, int headerSize, int headerCount) {
  /** The defaults of common servers: a line of 8 KiB, 16 KiB of headers, 100 fields. */
  public static final HeadLimits DEFAULT = new HeadLimits(8 << 10, 16 << 10, 100);

  public HeadLimits {
    if (requestLineSize < 16 || headerSize < 2 || headerCount < 1) {
      throw new IllegalArgumentException(
          "limits of a head are too small: %d, %d, %d"
              .formatted(requestLineSize, headerSize, headerCount));
    }
  }
}
