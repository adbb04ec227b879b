package io.nereid.spi;

/**
 * Memory that a model version uses in one place, as {@link Model#memoryUsage} reports it.
 *
 * @param type the kind of memory in the statistics extension: {@code CPU}, {@code CPU_PINNED} or
 *     {@code GPU}
 * @param id the device's id; 0 for memory of the host
 * @param byteSize 0 or more
 */
public record MemoryUsage(String type, long id, long byteSize) {
  public MemoryUsage {
    if (type.isEmpty() || id < 0 || byteSize < 0) {
      throw new IllegalArgumentException(
          "memory usage of type '%s', id %d, %d bytes".formatted(type, id, byteSize));
    }
  }

  /** Memory of a GPU. */
  public static MemoryUsage ofGpu(int id, long byteSize) {
    return new MemoryUsage("GPU", id, byteSize);
  }
}
