package io.nereid.engine.scheduling;

import io.nereid.engine.cache.LocalCacheProvider;
import io.nereid.engine.model.loading.LoaderUnderTest;
import io.nereid.spi.cache.CacheSettings;
import io.nereid.spi.cache.ResponseCache;
import io.nereid.tck.cache.CachingVerification;
import io.nereid.tck.scheduler.SchedulerUnderTest;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** Runs the TCK's rules for cached responses against the server's local cache. */
public class CachingTckTest extends CachingVerification {
  /** A request and its response of 64 bytes each, their descriptions, and alignment. */
  private static final int ENTRY_BYTE_SIZE = 320;

  @TempDir private Path repository;

  /** The local cache, with room for so many responses. */
  public static ResponseCache cache(int entries) {
    String size = Integer.toString(entries * ENTRY_BYTE_SIZE);
    return new LocalCacheProvider().open(new CacheSettings(Map.of("size", size)));
  }

  @Override
  protected SchedulerUnderTest openScheduler(int entries) {
    return new LoaderUnderTest(repository, cache(entries));
  }
}
