package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.Engine;
import io.nereid.engine.ModelResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A repository that is polled: what becomes of callers when a model changes that they call. */
@Timeout(120)
class CallersPollTest extends HeldModels {
  @BeforeEach
  void serve() throws IOException {
    model("a", "b", passingTo("b"));
    model("b", "", adding(1));
    open(Engine.builder().poll(Duration.ofMillis(2)));
    assertThat(infer("a", 1)).containsExactly(2);
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(100_000);
      assertThat(Thread.interrupted()).as("the test has timed out").isFalse();
    }
  }

  private void removeB() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(repository.resolve("b"))) {
      files = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
  }

  private long executionsOfA() {
    return engine().statistics().stream()
        .filter(each -> each.model().name().equals("a"))
        .mapToLong(each -> each.inferenceCount())
        .sum();
  }

  private long versionOfB() {
    try (ModelResponse response = engine().infer(request("b", 1))) {
      return response.model().version();
    }
  }

  @Test
  void aCallerServesOnWithAModelThatWasEdited() throws IOException {
    Files.createDirectories(repository.resolve("b").resolve("2"));
    await(() -> versionOfB() == 2);

    assertThat(infer("a", 1)).containsExactly(2);
    assertThat(executionsOfA()).as("it was not loaded again").isEqualTo(2);
  }

  @Test
  void aCallerIsUnloadedWithAModelThatIsRemovedAndComesBackWithIt() throws IOException {
    removeB();
    await(() -> !engine().isReady("b") && !engine().isReady("a"));

    model("b", "", adding(10));
    await(() -> engine().isReady("a"));

    assertThat(infer("a", 1)).containsExactly(11);
  }

  @Test
  void aRequestInFlightFinishesItsCallOfAModelThatIsRemoved() throws Exception {
    ScriptedBackend.script(
        "a",
        (batch, results) -> {
          begun.countDown();
          gate.await();
          passingTo("b").execute(batch, results);
        });
    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("a", 1));
    begun.await();
    removeB();
    await(() -> !engine().isReady("b"));
    gate.countDown();

    try (ModelResponse response = seen(sent)) {
      assertThat(response.ints("OUT")).containsExactly(2);
    }
  }
}
