package io.nereid.engine.cache;

import io.nereid.error.InferenceException;
import io.nereid.spi.cache.CacheProvider;
import io.nereid.spi.cache.CacheSettings;
import io.nereid.spi.cache.ResponseCache;
import java.lang.System.Logger.Level;

/**
 * The provider of {@link LocalCache}, {@code --cache-config=local,size=<bytes>}. Public for {@link
 * java.util.ServiceLoader}.
 */
public final class LocalCacheProvider implements CacheProvider {
  private static final System.Logger LOG = System.getLogger(LocalCacheProvider.class.getName());

  private static final String FAILED = "Failed to initialize LocalCache: ";

  @Override
  public String name() {
    return "local";
  }

  @Override
  public ResponseCache open(CacheSettings settings) {
    settings.options().keySet().stream()
        .filter(key -> !key.equals("size"))
        .sorted()
        .forEach(key -> LOG.log(Level.WARNING, "cache ''local'' has no setting ''{0}''", key));
    String size = settings.options().get("size");
    if (size == null) {
      throw InferenceException.invalid(FAILED + "config didn't contain a valid 'size' field.");
    }
    return new LocalCache(byteSize(size));
  }

  private static long byteSize(String text) {
    long size = 0;
    try {
      size = Long.parseLong(text);
    } catch (NumberFormatException _) {
      // reported below
    }
    if (size < LocalMemory.ALIGNMENT) {
      throw InferenceException.invalid(
          FAILED
              + "'size' must be a number of bytes, at least %d; got '%s'"
                  .formatted(LocalMemory.ALIGNMENT, text));
    }
    return size;
  }
}
