package io.nereid.engine.scheduling;

import io.nereid.engine.cache.LocalCacheProvider;
import io.nereid.engine.model.loading.LoaderUnderTest;
import io.nereid.spi.cache.CacheSettings;
import io.nereid.tck.cache.CachingVerification;
import io.nereid.tck.scheduler.SchedulerUnderTest;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** Runs the TCK's rules for cached responses against the server's local cache. */
class CachingTckTest extends CachingVerification {
  /** A request and its response of 64 bytes each, their descriptions, and alignment. */
  private static final int ENTRY_BYTE_SIZE = 320;

  @TempDir private Path repository;

  @Override
  protected SchedulerUnderTest openScheduler(int entries) {
    String size = Integer.toString(entries * ENTRY_BYTE_SIZE);
    var settings = new CacheSettings(Map.of("size", size));
    return new LoaderUnderTest(repository, new LocalCacheProvider().open(settings));
  }
}
