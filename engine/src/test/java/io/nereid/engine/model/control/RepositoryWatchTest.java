package io.nereid.engine.model.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.engine.model.repository.ModelRepository;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RepositoryWatchTest extends ManagerUnderTest {
  @TempDir private Path directory;

  @Override
  protected List<Path> repositories() {
    return List.of(directory);
  }

  @Override
  protected ControlSettings control() {
    return new ControlSettings(
        ControlMode.POLL,
        List.of(),
        Duration.ofMillis(1),
        Readiness.SERVING,
        false,
        TestControlSettings.loads(2),
        ConfigSettings.DEFAULT);
  }

  /** An empty repository, to which the second poll fails. */
  private final class FailingOnce implements ModelRepository {
    private final AtomicInteger polls = new AtomicInteger();
    private final CountDownLatch polledAgain = new CountDownLatch(1);
    private volatile boolean isPolled;

    @Override
    public String location() {
      return directory.toString();
    }

    @Override
    public List<String> models() {
      if (isPolled) {
        if (polls.incrementAndGet() == 1) {
          throw new OutOfMemoryError("of a test");
        }
        polledAgain.countDown();
      }
      return List.of();
    }

    @Override
    public Optional<DirectoryContents> contents(String model) {
      return Optional.empty();
    }

    @Override
    public Path directory(String model, DirectoryContents contents) {
      throw new AssertionError("there is no model");
    }
  }

  @Test
  void goesOnBehindAnError() throws InterruptedException {
    var repository = new FailingOnce();
    try (ModelManager polling = managerOf(List.of(repository), control())) {
      assertThat(polling.loadAll()).isTrue();
      repository.isPolled = true;

      assertThat(repository.polledAgain.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}
