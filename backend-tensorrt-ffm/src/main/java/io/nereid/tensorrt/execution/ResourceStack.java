package io.nereid.tensorrt.execution;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Resources that are closed in the reverse order of their opening, each of them in any case. */
final class ResourceStack implements AutoCloseable {
  private final Deque<Resource> resources = new ArrayDeque<>();

  /** What to do at the end of a resource. */
  @FunctionalInterface
  interface Resource {
    void close();
  }

  /** Closes {@code resource} before all that were added earlier. */
  void add(Resource resource) {
    resources.push(resource);
  }

  /**
   * Closes all resources.
   *
   * @throws RuntimeException the first failure, with the others as suppressed ones
   */
  @Override
  public void close() {
    RuntimeException first = null;
    for (Resource next = resources.poll(); next != null; next = resources.poll()) {
      first = closed(next, first);
    }
    if (first != null) {
      throw first;
    }
  }

  private static @Nullable RuntimeException closed(
      Resource resource, @Nullable RuntimeException first) {
    try {
      resource.close();
      return first;
    } catch (RuntimeException failed) {
      if (first == null) {
        return failed;
      }
      first.addSuppressed(failed);
      return first;
    }
  }
}
