package io.nereid.client.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A region of shared memory that the server knows.
 *
 * @param key of a region of the system's memory, such as {@code /my_region}; else empty
 * @param offset of a region of the system's memory in the object of that key, in bytes
 * @param deviceId the GPU of a region of CUDA's memory
 */
public record RegisteredRegion(String name, String key, long offset, long deviceId, long byteSize) {
  /** For the client: reads what a transport got. */
  public static List<RegisteredRegion> listOf(@Nullable Object tree) {
    return Tree.listOf(
        tree,
        each -> {
          Tree region = Tree.of(each);
          return new RegisteredRegion(
              region.text("name"),
              region.text("key"),
              region.number("offset"),
              region.number("device_id"),
              region.number("byte_size"));
        });
  }
}
