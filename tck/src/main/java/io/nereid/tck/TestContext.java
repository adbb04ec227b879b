package io.nereid.tck;

import io.nereid.spi.BackendContext;
import io.nereid.spi.TypedOptions;
import io.nereid.spi.metrics.BackendMetrics;
import io.nereid.spi.metrics.MetricStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a backend is opened with in a test, which reads what became of it. Thread-safe.
 *
 * <pre>{@code
 * var context = TestContext.of("trees", Map.of("threads", "4"));
 * try (Backend backend = new TreesBackendProvider().open(context)) {
 *   assertThat(context.options().unread()).isEmpty();
 *   assertThat(context.lines()).containsExactly("INFO 4 threads");
 * }
 * }</pre>
 */
public final class TestContext implements BackendContext {
  private final String name;
  private final Map<String, String> values;
  private final TypedOptions options;
  private final Optional<Path> folder;
  private final RecordedLog logger;
  private final MetricStore store = new MetricStore();

  private TestContext(String name, Map<String, String> values, Optional<Path> folder) {
    this.name = name;
    this.values = Map.copyOf(values);
    this.options = TypedOptions.of("backend '%s'".formatted(name), values);
    this.folder = folder;
    this.logger = new RecordedLog("io.nereid.backend." + name);
  }

  /** The context of a backend on the class path, without options. */
  public static TestContext of(String backend) {
    return new TestContext(backend, Map.of(), Optional.empty());
  }

  /** The context of a backend on the class path, with options. */
  public static TestContext of(String backend, Map<String, String> options) {
    return new TestContext(backend, options, Optional.empty());
  }

  /** A new context with these options in place of others. */
  public TestContext withOptions(Map<String, String> newOptions) {
    return new TestContext(name, newOptions, folder);
  }

  /** A new context of a backend whose jars are said to lie in that folder. */
  public TestContext withFolder(Path newFolder) {
    return new TestContext(name, values, Optional.of(newFolder.toAbsolutePath()));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public TypedOptions options() {
    return options;
  }

  @Override
  public Optional<Path> folder() {
    return folder;
  }

  @Override
  public System.Logger logger() {
    return logger;
  }

  @Override
  public BackendMetrics metrics() {
    return store.of(name, logger);
  }

  /**
   * Where the metrics are, to be read: {@code store().families()}. Those of a model are gone when
   * the kit has closed it; a test that loads and closes models itself calls {@link
   * MetricStore#end}.
   */
  public MetricStore store() {
    return store;
  }

  /**
   * The last thousand lines of {@link #logger}, such as {@code INFO 4 threads}, from level INFO on;
   * the throwable of one follows it behind a colon.
   */
  public List<String> lines() {
    return logger.lines();
  }
}
