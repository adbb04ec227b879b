package io.nereid.engine.model.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.execution.GroupSettings;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.FakeClock;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.spi.cache.ResponseCache;
import io.nereid.tck.scheduler.SchedulerModel;
import io.nereid.tck.scheduler.SchedulerUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server's own engine, loader and schedulers, with a folder and memory of a test. */
public final class LoaderUnderTest implements SchedulerUnderTest {
  private static final long TIMEOUT_NANOS = 60_000_000_000L;
  private static final int QUEUE_CAPACITY = 64;
  private static final Pattern NAME = Pattern.compile("^name: \"(.*)\"", Pattern.MULTILINE);

  private final Path repository;
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeClock clock = new FakeClock();
  private final BackendCatalog backends;
  private final ModelConfigReader reader = new ModelConfigReader(ConfigSettings.DEFAULT);
  private final ModelRegistry registry = new ModelRegistry();
  private final RequestAdmission engine =
      new RequestAdmission(
          registry, clock, () -> true, Readiness.SERVING, MemorySettings.DEFAULT_MAX_STRINGS);
  private final Optional<ResponseCaching> caching;
  private final ModelLoader loader;
  private final EnsembleLoader ensembleLoader;
  private final List<ModelUnderTest> models = new ArrayList<>();

  /**
   * @param repository an empty folder
   */
  public LoaderUnderTest(Path repository) {
    this(repository, RateLimiter.OFF);
  }

  /**
   * @param repository an empty folder
   * @param limiter for all models
   */
  public LoaderUnderTest(Path repository, RateLimiter limiter) {
    this(repository, limiter, Map.of(), Optional.empty());
  }

  /**
   * @param repository an empty folder
   * @param limiter for all models
   * @param gateOptions the options of the backend {@code gate}
   */
  LoaderUnderTest(Path repository, RateLimiter limiter, Map<String, String> gateOptions) {
    this(repository, limiter, gateOptions, Optional.empty());
  }

  /**
   * @param repository an empty folder
   * @param cache closed with this object
   */
  public LoaderUnderTest(Path repository, ResponseCache cache) {
    this(repository, RateLimiter.OFF, Map.of(), Optional.of(cache));
  }

  private LoaderUnderTest(
      Path repository,
      RateLimiter limiter,
      Map<String, String> gateOptions,
      Optional<ResponseCache> cache) {
    this.repository = repository;
    this.caching = cache.map(opened -> new ResponseCaching(opened, pool, clock::nanos));
    this.backends =
        new BackendCatalog(
            new PluginSettings(repository.resolve("no-such-folder"), Map.of("gate", gateOptions)),
            List.of());
    var completion = new ModelConfigCompletion(ConfigSettings.DEFAULT);
    var settings =
        new LoaderSettings(
            engine::admit,
            backends,
            pool,
            clock,
            DecisionJournal.NONE,
            caching,
            new ServingSettings(
                1 << 20,
                QueueLimits.of(QUEUE_CAPACITY),
                GroupSettings.limits(limiter),
                LatencyMetrics.NONE));
    this.loader = new ModelLoader(settings, registry, completion, 0);
    this.ensembleLoader = new EnsembleLoader(settings, completion);
  }

  @Override
  public SchedulerModel load(String configPbtxt, Map<String, byte[]> files) {
    Matcher name = NAME.matcher(configPbtxt);
    if (!name.find()) {
      throw new IllegalArgumentException("no name in " + configPbtxt);
    }
    ModelOnDisk onDisk = ModelOnDisk.of(repository, name.group(1), configPbtxt);
    files.forEach(onDisk::withFile);
    ModelDirectory directory = onDisk.directory();
    var id = new ModelId("", directory.name());
    LoadedModel loaded =
        load(
            new PolledModel(
                id,
                directory,
                Optional.empty(),
                reader.read(directory),
                new PolledModel.Origin.Repository()));
    registry.update(id, entry -> entry.serving(Map.of(1L, loaded)));
    var model = new ModelUnderTest(loaded, pool, engine);
    models.add(model);
    return model;
  }

  private LoadedModel load(PolledModel polled) {
    if (!polled.isEnsemble()) {
      return loader.load(polled, 1);
    }
    Set<ModelId> ids = registry.snapshot().keySet();
    new ModelGraph(ids, List.of(polled)).order().requireNotCircular(polled.id());
    Map<String, ModelEntry> entries = new HashMap<>();
    registry.snapshot().forEach((id, entry) -> entries.put(id.name(), entry));
    return ensembleLoader.load(polled, 1, entries, Map.of());
  }

  @Override
  public void advance(Duration time) {
    clock.advance(time);
  }

  @Override
  public void settle() {
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (!isIdle()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not idle: " + models);
      }
      Thread.onSpinWait();
    }
  }

  /**
   * Whether all models are idle. Checked twice, since an instance that was idle may have received a
   * batch from one that was checked later.
   */
  private boolean isIdle() {
    int executions = executions();
    boolean before = allIdle();
    return before && allIdle() && executions() == executions;
  }

  private boolean allIdle() {
    return models.stream().allMatch(ModelUnderTest::isIdle);
  }

  private int executions() {
    return models.stream().mapToInt(ModelUnderTest::executions).sum();
  }

  @Override
  public void close() {
    models.reversed().forEach(ModelUnderTest::close);
    backends.close();
    caching.ifPresent(ResponseCaching::close);
    assertThat(pool.outstanding()).as("outstanding leases").isZero();
  }
}
