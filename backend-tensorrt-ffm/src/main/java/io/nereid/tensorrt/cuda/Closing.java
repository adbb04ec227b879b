package io.nereid.tensorrt.cuda;

import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Releases of several objects, each of which is made even if one before it has failed. */
public final class Closing {
  private Closing() {}

  /**
   * Releases all objects and empties the collection.
   *
   * @throws CudaException the first failure; others are suppressed in it
   */
  static <T> void all(Collection<T> objects, Consumer<? super T> release) {
    CudaException first = null;
    for (T object : objects) {
      first = released(first, () -> release.accept(object));
    }
    objects.clear();
    if (first != null) {
      throw first;
    }
  }

  private static @Nullable CudaException released(
      @Nullable CudaException before, Runnable release) {
    try {
      release.run();
      return before;
    } catch (CudaException failed) {
      if (before == null) {
        return failed;
      }
      before.addSuppressed(failed);
      return before;
    }
  }

  /** Releases or awaits something because of a failure, in which one of this is suppressed. */
  public static void with(Throwable failure, Runnable release) {
    try {
      release.run();
    } catch (CudaException failed) {
      failure.addSuppressed(failed);
    }
  }
}
