package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.StatusCode;
import io.nereid.tck.scheduler.TestResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Models with live sequences and with limited resources while they are loaded and unloaded. */
class SequencesAndLimitsTest extends LifecycleTests {
  private static final String SEQUENCES = config("sequence_batching { direct {} }");

  @Override
  protected RateLimiter limiter() {
    return new ExecutionCountLimiter(List.of());
  }

  private static String limited(String resource, int instances) {
    return config("")
        .replace(
            "count: 1",
            "count: %d rate_limiter { resources { %s count: 1 } }".formatted(instances, resource));
  }

  @Test
  void aLiveSequenceEndsWithItsVersion() {
    repository.model("m", SEQUENCES, 1);
    load("m");
    gate("m").openAll();
    assertThat(submit("m", "a0", 1, true, false).await().failure()).isEmpty();
    repository.version("m", 2);

    load("m");

    TestResponse later = submit("m", "a1", 1, false, false).await();
    assertThat(later.failure())
        .get()
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
    assertThat(submit("m", "b0", 1, true, true).await().failure()).isEmpty();
    assertThat(loads("m").executor("b0").version()).isEqualTo(2);
    awaitIndex("m 1 UNAVAILABLE unloaded", "m 2 READY");
  }

  @Test
  void aSequenceModelIsUnloadedWhileASequenceIsLiveAndAnotherWaits() {
    repository.model("m", SEQUENCES, 1);
    load("m");
    TestResponse live = submit("m", "a0", 1, true, false);
    gate("m").awaitBegun(1);
    TestResponse backlog = submit("m", "b0", 2, true, true);

    unload("m");

    gate("m").openAll();
    assertThat(live.await().failure()).isEmpty();
    assertThat(index()).containsExactly("m 1 UNLOADING"); // as long as a request waits for a slot
    backlog.cancel();
    backlog.await();
    awaitIndex("m 1 UNAVAILABLE unloaded");
  }

  @Test
  void instancesAreAddedForSequencesThatWait() {
    repository.model("m", SEQUENCES, 1);
    load("m");
    gate("m").openAll();
    assertThat(submit("m", "a0", 1, true, false).await().failure()).isEmpty();
    TestResponse waiting = submit("m", "b0", 2, true, false);
    repository.model("m", SEQUENCES.replace("count: 1", "count: 2"));

    load("m");

    assertThat(waiting.await().failure()).isEmpty();
    assertThat(submit("m", "a1", 1, false, true).await().failure()).isEmpty();
    assertThat(loads("m").copies()).hasSize(1);
  }

  @Test
  void aModelWhoseResourceIsOfAnotherKindIsNotLoadedAndTheFirstServesOn() {
    repository.model("a", limited("name: \"R\" global: true", 1), 1);
    repository.model("b", limited("name: \"R\"", 1), 1);
    load("a");

    assertThat(loadFailure("b"))
        .hasMessageContaining("present as both global and device-specific resource");

    execute("a", "r");
    unload("a");
    awaitIndex(
        index().stream()
            .map(row -> row.startsWith("a ") ? "a 1 UNAVAILABLE unloaded" : row)
            .toArray(String[]::new));
    load("b");
    execute("b", "s");
  }

  @Test
  void aModelIsLoadedAgainWhileItsFormerCopyHoldsTheResource() {
    repository.model("m", limited("name: \"R\"", 1), 1);
    load("m");
    TestResponse held = submitHeld("m", "held");
    repository.version("m", 2);

    Operation load = Operation.start(() -> load("m")); // opens its instance under the limit
    await(() -> loads("m").copies(2).size() == 1, "the new version to load");
    gate("m").openAll();

    load.join();
    assertThat(held.await().failure()).isEmpty();
    execute("m", "later");
    awaitIndex("m 1 UNAVAILABLE unloaded", "m 2 READY");
  }

  @Test
  void aVersionThatIsLoadedWhileTheServerStopsRejectsRequests() {
    repository.model("m", 1);
    load("m");
    repository.version("m", 2);
    loads("m").hold(Point.LOAD, 2);
    Operation load = Operation.start(() -> load("m"));
    loads("m").awaitHeld(Point.LOAD, 2);

    manager.stop().join();
    loads("m").release(Point.LOAD, 2);
    load.join();

    assertThat(submit("m", "late").await().failure())
        .get()
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE));
  }
}
