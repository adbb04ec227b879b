package io.nereid.s3;

import java.time.Duration;

/**
 * What a store may take, of time and of memory. A store that takes more is not the one that it says
 * it is, or broken: the request fails.
 *
 * @param connect time until a connection is open
 * @param silence the longest time without a byte; then the server resumes the download
 * @param response time until a listing, an error or the headers of an object are read
 * @param pages of one listing, which have up to a thousand objects each
 * @param listingByteSize of all keys, tags and tokens of one listing, and {@value
 *     #OBJECT_BYTE_SIZE} bytes for each object
 * @param documentByteSize of a page, or of an error
 */
record S3Limits(
    Duration connect,
    Duration silence,
    Duration response,
    int pages,
    long listingByteSize,
    int documentByteSize) {
  /** What an object takes on the heap beside its key and its tag. */
  static final int OBJECT_BYTE_SIZE = 100;

  /** A page with a thousand keys of 1,024 bytes, each of them encoded, has about 4 MB. */
  static final S3Limits DEFAULT =
      new S3Limits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofMinutes(1),
          10_000,
          256L << 20,
          16 << 20);
}
