package io.nereid.spi.repository;

/**
 * An object as a listing shows it.
 *
 * @param key relative to the store's location; may end with {@code /}, as the markers of empty
 *     folders do
 * @param tag changes whenever the content does: an entity tag, or the time of modification
 */
public record StoredObject(String key, long byteSize, String tag) {
  public StoredObject {
    if (byteSize < 0) {
      throw new IllegalArgumentException("object '%s' of %d bytes".formatted(key, byteSize));
    }
  }
}
