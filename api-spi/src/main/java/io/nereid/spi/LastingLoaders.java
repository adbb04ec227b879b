package io.nereid.spi;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Class loaders that live as long as the process, for classes that load a native library: the JVM
 * ties a library to the class loader that has loaded it, and no other can load it until that one is
 * gone. So versions, models, backends and engines that have the same classes share their loader,
 * which is never closed. They also share its static fields, and its memory stays. Thread-safe.
 *
 * <p>Engines share loaders if they have this class from the same class loader.
 */
public final class LastingLoaders {
  private static final Map<String, ClassLoader> LOADERS = new ConcurrentHashMap<>();

  private LastingLoaders() {}

  /**
   * The loader of some classes.
   *
   * @param digest of the bytes of all of them, and of what they load
   * @param loader makes it, at the first call; its parent should see nothing that is closed, such
   *     as a version of a model
   */
  public static ClassLoader of(String digest, Supplier<ClassLoader> loader) {
    return LOADERS.computeIfAbsent(digest, _ -> loader.get());
  }
}
