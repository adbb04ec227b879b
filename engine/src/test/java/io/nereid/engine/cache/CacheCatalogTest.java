package io.nereid.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.backend.BackendFolder;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.cache.CacheProvider;
import io.nereid.spi.cache.ResponseCache;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheCatalogTest {
  @TempDir private Path directory;

  /** A provider whose {@code open} runs these statements. */
  private void addFolder(String name, String open) {
    BackendFolder.of(directory, name)
        .withProviderClass(
            CacheProvider.class,
            "Made",
            """
            package made;
            public final class Made implements io.nereid.spi.cache.CacheProvider {
              @Override public String name() { return "%s"; }
              @Override public io.nereid.spi.cache.ResponseCache open(
                  io.nereid.spi.cache.CacheSettings settings) {
                %s
              }
            }
            """
                .formatted(name, open));
  }

  private ResponseCache open(String name, Map<String, String> settings) {
    return CacheCatalog.open(new PluginSettings(directory, Map.of(name, settings))).orElseThrow();
  }

  @Test
  void thereIsNoCacheUnlessOneIsNamed() {
    assertThat(CacheCatalog.open(new PluginSettings(directory, Map.of()))).isEmpty();
  }

  @Test
  void theLocalCacheIsOnTheClassPath() {
    try (ResponseCache cache = open("local", Map.of("size", "1024"))) {
      assertThat(cache.metrics().capacityBytes()).isEqualTo(1024);
    }
  }

  @Test
  void aFolderOfJarsIsACache() {
    addFolder(
        "made",
        "throw io.nereid.error.InferenceException.unsupported(\"made with \" + settings.options()"
            + " + Thread.currentThread().getContextClassLoader().getName());");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open("made", Map.of("a", "b")))
        .withMessage("made with {a=b}cache-made");
  }

  @Test
  void reportsACacheThatCannotBeOpened() {
    addFolder("made", "throw new UnsatisfiedLinkError(\"no libmade.so\");");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open("made", Map.of()))
        .withMessage(
            "cache 'made' cannot be opened: java.lang.UnsatisfiedLinkError: no libmade.so");
  }

  @Test
  void reportsAFolderWithoutProvider() {
    BackendFolder.of(directory, "empty")
        .withProviderClass(Runnable.class, "Other", "package made; public class Other {}");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open("empty", Map.of()))
        .withMessageContaining("declares a io.nereid.spi.cache.CacheProvider");
  }

  @Test
  void reportsACacheThatIsNotThere() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open("redis", Map.of("host", "localhost")))
        .withMessage(
            "unable to find cache 'redis'. Searched: %s. Caches found: [local]", directory);
  }

  @Test
  void rejectsTwoCaches() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            CacheCatalog.open(
                new PluginSettings(
                    directory, Map.of("local", Map.of("size", "1024"), "redis", Map.of()))))
        .withMessage(
            "found multiple cache configurations, but only a single cache is currently supported")
        .extracting(InferenceException::code)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }
}
