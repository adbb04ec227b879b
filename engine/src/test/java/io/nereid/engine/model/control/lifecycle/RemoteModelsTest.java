package io.nereid.engine.model.control.lifecycle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.ModelManager;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.engine.model.repository.RemoteRepository;
import io.nereid.engine.model.repository.cache.ObjectCache;
import io.nereid.engine.model.repository.cache.Retries;
import io.nereid.engine.model.repository.cache.TestStore;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import io.nereid.tck.scheduler.TestResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models that come from an object store, and the copies that they are loaded from. */
class RemoteModelsTest extends LifecycleTests {
  @TempDir private Path cacheDirectory;
  private final TestStore store = new TestStore();

  @SuppressWarnings("NullAway.Init") // by manager()
  private final List<ObjectCache> caches = new ArrayList<>();

  @Override
  protected ModelManager manager(List<Path> repositories, ControlSettings control) {
    var retries = new Retries(1, Duration.ZERO, _ -> {});
    ObjectCache cache;
    try {
      cache = ObjectCache.open(cacheDirectory.resolve("c"), retries, InstantSource.system());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    caches.add(cache);
    return managerOf(
        List.of(new RemoteRepository("test://bucket", store, Optional.empty(), cache, retries)),
        control);
  }

  private ModelManager polled() {
    manager.close();
    manager = manager(List.of(), control(ControlMode.POLL, List.of(), false));
    return manager;
  }

  @AfterEach
  void noCopyIsLeft() throws IOException {
    manager.close();
    assertThat(copies("")).isEmpty();
    caches.forEach(ObjectCache::close);
  }

  private void put(String model, String config, long... versions) {
    store.put(model + "/config.pbtxt", config.getBytes(UTF_8));
    for (long version : versions) {
      store.put("%s/%d/model.bin".formatted(model, version), new byte[] {1});
    }
  }

  /** The copies of a model, or of all. */
  private List<Path> copies(String model) throws IOException {
    try (Stream<Path> files = Files.walk(cacheDirectory)) {
      return files.filter(file -> file.endsWith(Path.of(model, "config.pbtxt"))).toList();
    }
  }

  @Test
  void aReloadedModelKeepsItsFormerCopyUntilItsLastRequestHasEnded() throws IOException {
    put("m", ControlledRepository.config(""), 1);
    load("m");
    TestResponse held = submitHeld("m", "a");
    store.put("m/1/model.bin", new byte[] {2});
    load("m");
    assertThat(copies("m")).hasSize(2);

    gate("m").open(1);

    assertThat(held.await().failure()).isEmpty();
    await(() -> hasCopies("m", 1), "the former copy to be deleted");
    execute("m", "b");
  }

  private boolean hasCopies(String model, int count) {
    try {
      return copies(model).size() == count;
    } catch (IOException | UncheckedIOException changing) { // while a copy is deleted
      return false;
    }
  }

  @Test
  void aModelThatHasNotChangedIsNeitherDownloadedNorCopiedAgain() throws IOException {
    put("m", ControlledRepository.config(""), 1);
    load("m");
    List<Path> before = copies("m");
    load("m");

    assertThat(copies("m")).isEqualTo(before);
    assertThat(store.requests).filteredOn(request -> request.startsWith("read")).hasSize(2);
  }

  @Test
  void anUnloadedModelHasNoCopy() throws IOException {
    put("m", ControlledRepository.config(""), 1);
    load("m");
    unload("m");

    await(() -> hasCopies("m", 0), "the copy to be deleted");
  }

  @Test
  void anEnsembleIsLoadedAgainWithItsModelLongAfterItWasPolled() {
    put("m", ControlledRepository.config(""), 1);
    put("e", ControlledRepository.ensemble("m"));
    store.put("e/1/", new byte[0]);
    load("e");
    for (byte change = 2; change < 5; change++) {
      store.put("m/1/model.bin", new byte[] {change});
      load("m");
    }

    assertThat(index()).containsExactly("e 1 READY", "m 1 READY");
    gate("m");
  }

  @Test
  void aPollActsOnAChangedObjectOnceItHasSettled() {
    put("m", ControlledRepository.config(""), 1);
    polled().loadAll();
    store.put("m/2/model.bin", new byte[] {1});
    manager.poll();
    assertThat(index()).containsExactly("m 1 READY");

    manager.poll();

    awaitIndex("m 1 UNAVAILABLE unloaded", "m 2 READY");
  }

  @Test
  void aPollThatFailsChangesNothing() {
    put("m", ControlledRepository.config(""), 1);
    polled().loadAll();
    for (int each = 0; each < 3; each++) {
      store.fail(new ObjectStoreException(Reason.UNAVAILABLE, "slow down"));
      manager.poll();
    }

    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "a");
  }

  @Test
  void aStoreThatFailsAfterAModelIsCopiedDoesNotFailItsLoad() {
    put("m", ControlledRepository.config(""), 1);
    loads("m").hold(Point.LOAD, 1);
    Operation load = Operation.start(() -> load("m"));
    loads("m").awaitHeld(Point.LOAD, 1);
    store.put("m/1/model.bin", new byte[] {2});
    store.failAsUnavailable(9);
    loads("m").release(Point.LOAD, 1);

    load.join();

    assertThat(registry.ready("m", OptionalLong.of(1))).hasSize(1);
  }
}
