package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.backend.BackendCatalog;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.scheduling.DecisionJournal;
import io.nereid.server.scheduling.FakeClock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A conductor of a test's repositories, whose models the kit's backends run. */
abstract class ManagerUnderTest {
  final ModelRegistry registry = new ModelRegistry();
  ModelManager conductor;
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private BackendCatalog backends;

  abstract List<Path> repositories();

  @BeforeEach
  void open() {
    Path none = repositories().getFirst().resolve("no-such-folder");
    backends = new BackendCatalog(none, Map.of());
    conductor = conductor(repositories());
  }

  ModelManager conductor(List<Path> repositories) {
    return new ModelManager(
        repositories,
        registry,
        backends,
        pool,
        2,
        1 << 20,
        16,
        new FakeClock(),
        DecisionJournal.NONE,
        RateLimiter.OFF,
        LatencyMetrics.NONE);
  }

  @AfterEach
  void close() {
    conductor.close();
    backends.close();
    assertThat(pool.outstanding()).isZero();
  }
}
