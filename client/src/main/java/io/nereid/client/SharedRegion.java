package io.nereid.client;

/**
 * A part of a region of shared memory that the server knows by a name.
 *
 * @param name that the region is registered by
 * @param offset in bytes from the region's begin
 * @param byteSize the bytes of the part
 */
public record SharedRegion(String name, long offset, long byteSize) {
  public SharedRegion {
    if (name.isEmpty() || offset < 0 || byteSize < 0) {
      throw new IllegalArgumentException(
          "a region needs a name, and an offset and a size of at least 0: '%s', %d, %d"
              .formatted(name, offset, byteSize));
    }
  }
}
