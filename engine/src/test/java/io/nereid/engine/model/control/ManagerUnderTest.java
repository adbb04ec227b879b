package io.nereid.engine.model.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.execution.GroupSettings;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.loading.LatencyMetrics;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.loading.ServingSettings;
import io.nereid.engine.model.repository.CountedRepository;
import io.nereid.engine.model.repository.LocalRepository;
import io.nereid.engine.model.repository.ModelRepository;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.FakeClock;
import io.nereid.engine.scheduling.policy.QueueLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A model manager of a test's repositories, with the backends of the TCK. After each test all
 * directories are released.
 */
public abstract class ManagerUnderTest {
  protected final ModelRegistry registry = new ModelRegistry();
  protected final CheckedBufferPool pool = new CheckedBufferPool();
  protected final FakeClock clock = new FakeClock();
  protected final RequestAdmission engine =
      new RequestAdmission(
          registry, clock, () -> true, Readiness.SERVING, MemorySettings.DEFAULT_MAX_STRINGS);
  protected ModelManager manager;
  private final List<CountedRepository> counted = new ArrayList<>();
  private BackendCatalog backends;

  protected abstract List<Path> repositories();

  @BeforeEach
  protected void open() {
    Path none = repositories().getFirst().resolve("no-such-folder");
    backends = new BackendCatalog(new PluginSettings(none, Map.of()), List.of());
    manager = manager(repositories());
  }

  /** Of the manager that is made for each test. */
  protected ControlSettings control() {
    return TestControlSettings.of(2);
  }

  /** Of all models. */
  protected RateLimiter limiter() {
    return RateLimiter.OFF;
  }

  protected ModelManager manager(List<Path> repositories) {
    return manager(repositories, control());
  }

  protected ModelManager manager(List<Path> repositories, ControlSettings control) {
    return managerOf(
        repositories.stream().<ModelRepository>map(LocalRepository::new).toList(), control);
  }

  protected final ModelManager managerOf(
      List<ModelRepository> repositories, ControlSettings control) {
    List<CountedRepository> all = repositories.stream().map(CountedRepository::new).toList();
    counted.addAll(all);
    return new ModelManager(
        List.copyOf(all),
        control,
        registry,
        new LoaderSettings(
            engine::admit,
            backends,
            pool,
            clock,
            DecisionJournal.NONE,
            Optional.empty(),
            new ServingSettings(
                1 << 20,
                QueueLimits.of(16),
                GroupSettings.limits(limiter()),
                LatencyMetrics.NONE)));
  }

  @AfterEach
  protected void close() {
    manager.close();
    backends.close();
    counted.forEach(CountedRepository::assertAllReleased);
    assertThat(pool.outstanding()).isZero();
  }
}
