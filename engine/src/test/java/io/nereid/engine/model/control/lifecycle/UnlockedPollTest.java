package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.engine.model.repository.LocalRepository;
import io.nereid.engine.model.repository.ModelRepository;
import io.nereid.engine.model.repository.RepositoryContents;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * An operation learns only from a poll which models an ensemble is composed of, so it polls them
 * before it holds their locks.
 */
class UnlockedPollTest extends LifecycleTests {
  @Test
  void aModelThatIsReplacedWhileAnEnsembleIsPolledIsReleasedOnce() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    var held = new HeldRepository(new LocalRepository(directory), "b");
    manager.close();
    manager = managerOf(List.of(held), control());
    load("a");
    Operation e = Operation.start(() -> load("e"));
    held.awaitHeld(); // "a" was polled before, and released since it serves
    assertThat(held.releases()).hasValue(1);

    repository.touch("a/1/model.bin");
    load("a");
    await(() -> held.releases().get() == 2, "the first use of the directory to end");
    held.release();

    e.join();
    assertThat(index()).containsExactly("a 1 READY", "b 1 READY", "e 1 READY");
  }

  /**
   * Holds the first poll of a model.
   *
   * @param releases of directories
   */
  private record HeldRepository(
      ModelRepository repository,
      String model,
      CountDownLatch polled,
      CountDownLatch released,
      AtomicInteger releases)
      implements ModelRepository {
    HeldRepository(ModelRepository repository, String model) {
      this(repository, model, new CountDownLatch(1), new CountDownLatch(1), new AtomicInteger());
    }

    void awaitHeld() {
      await(() -> polled.getCount() == 0, "the poll of " + model);
    }

    void release() {
      released.countDown();
    }

    @Override
    public Optional<DirectoryContents> contents(String name) {
      if (name.equals(model)) {
        polled.countDown();
        await(() -> released.getCount() == 0, "the release of " + model);
      }
      return repository.contents(name);
    }

    @Override
    public RepositoryContents contents() {
      return repository.contents();
    }

    @Override
    public String location() {
      return repository.location();
    }

    @Override
    public List<String> models() {
      return repository.models();
    }

    @Override
    public boolean isCopy(Path path) {
      return repository.isCopy(path);
    }

    @Override
    public Path directory(String name, DirectoryContents contents) {
      return repository.directory(name, contents);
    }

    @Override
    public void release(Path path) {
      repository.release(path);
      releases.incrementAndGet();
    }
  }
}
