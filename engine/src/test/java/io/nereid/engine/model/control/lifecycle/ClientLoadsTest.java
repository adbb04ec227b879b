package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What the loads of one client take from others, where four versions load at a time. */
class ClientLoadsTest extends LifecycleTests {
  private static final ClientKey ONE = new ClientKey("192.0.2.1");
  private static final ClientKey OTHER = new ClientKey("192.0.2.2");

  private CompletableFuture<?> loading(ClientKey client, String model) {
    return CompletableFuture.runAsync(() -> load(client, model), Thread::startVirtualThread);
  }

  private void load(ClientKey client, String model) {
    manager.load(model, LoadParameters.NONE.of(client));
  }

  /** Has a client load models whose backend holds their loads. */
  private CompletableFuture<?> held(ClientKey client, String model) {
    repository.model(model, 1);
    loads(model).hold(Point.LOAD, 1);
    return loading(client, model);
  }

  @Test
  void aClientHasHalfOfTheThreadsAndOthersLoadMeanwhile() {
    repository.model("own", 1).model("others", 1);
    CompletableFuture<?> first = held(ONE, "a");
    loads("a").awaitHeld(Point.LOAD, 1);
    load(ONE, "own"); // one of two is free
    CompletableFuture<?> second = held(ONE, "b");
    loads("b").awaitHeld(Point.LOAD, 1);

    CompletableFuture<?> third = held(ONE, "c");
    load(OTHER, "others");

    assertThat(loads("c").isWaiting(Point.LOAD, 1)).isFalse();
    loads("a").release(Point.LOAD, 1);
    first.join();
    loads("c").awaitHeld(Point.LOAD, 1);
    loads("b").release(Point.LOAD, 1);
    loads("c").release(Point.LOAD, 1);
    second.join();
    third.join();
  }

  @Test
  void theVersionsOfAModelTakeNoMoreThanTheShareEither() {
    repository
        .model("many", ControlledRepository.config("version_policy { all { } }"), 1, 2, 3, 4, 5)
        .model("others", 1);
    for (int version = 1; version <= 5; version++) {
      loads("many").hold(Point.LOAD, version);
    }
    CompletableFuture<?> many = loading(ONE, "many");
    loads("many").awaitHeld(Point.LOAD, 1);
    loads("many").awaitHeld(Point.LOAD, 2);

    load(OTHER, "others");

    assertThat(loads("many").isWaiting(Point.LOAD, 3)).isFalse();
    for (int version = 1; version <= 5; version++) {
      loads("many").release(Point.LOAD, version);
    }
    many.join();
  }

  @Test
  void aWaitingLoadKeepsNoModelFromOthers() {
    CompletableFuture<?> first = held(ONE, "a");
    CompletableFuture<?> second = held(ONE, "b");
    loads("a").awaitHeld(Point.LOAD, 1);
    loads("b").awaitHeld(Point.LOAD, 1);
    repository.model("c", 1);
    CompletableFuture<?> third = loading(ONE, "c");

    load(OTHER, "c");

    assertThat(third).isNotDone();
    loads("a").release(Point.LOAD, 1);
    loads("b").release(Point.LOAD, 1);
    CompletableFuture.allOf(first, second, third).join();
  }

  @Test
  void aLoadOfAClientEndsAfterFiveMinutesAndCountsUntilItsThreadEnds() throws Exception {
    var begun = new CountDownLatch(2);
    var end = new CountDownLatch(1);
    for (String model : List.of("a", "b")) {
      repository.model(model, 1);
      loads(model)
          .run(
              Point.LOAD,
              1,
              () -> {
                begun.countDown();
                awaitUninterruptibly(end);
              });
    }
    CompletableFuture<?> first = loading(ONE, "a");
    CompletableFuture<?> second = loading(ONE, "b");
    begun.await();
    repository.model("c", 1);

    clock.advance(Duration.ofMinutes(5).minusNanos(1));
    assertThat(first).isNotDone();
    clock.advance(Duration.ofNanos(1));

    assertThatThrownBy(first::join)
        .hasMessageContaining("model 'a' version 1 has not loaded in time")
        .hasMessageContaining("the limit is --client-load-timeout-secs=300");
    assertThatThrownBy(second::join).hasMessageContaining("has not loaded in time");
    InferenceException refused = failure(() -> load(ONE, "c"));
    assertThat(refused.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(refused.retryAfter()).isPresent();
    assertThat(refused)
        .hasMessage("2 loads of the client have not ended in time, and its share is 2");
    load(OTHER, "c");
    unload("c");

    end.countDown();
    await(() -> !isRefused("c"), "an end of the threads");
    for (String model : List.of("a", "b")) {
      loads(model).awaitClosed(loads(model).copies(1).getFirst());
    }
  }

  /** Waits as native code does, which no interrupt ends. */
  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException ignored) {
        // left behind
      }
    }
  }

  private boolean isRefused(String model) {
    try {
      load(ONE, model);
      return false;
    } catch (InferenceException refused) {
      assertThat(refused.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
      return true;
    }
  }

  @Test
  void aLoadOfTheProgramHasTheLimitOfAllLoads() {
    repository.model("a", 1);
    loads("a").hold(Point.LOAD, 1);
    var loaded = CompletableFuture.runAsync(() -> load("a"));
    loads("a").awaitHeld(Point.LOAD, 1);

    clock.advance(Duration.ofMinutes(29));
    loads("a").release(Point.LOAD, 1);

    loaded.join();
  }

  @Test
  void aLoadThatWaitsForItsShareIsRefusedWhenTheServerStops() {
    CompletableFuture<?> first = held(ONE, "a");
    CompletableFuture<?> second = held(ONE, "b");
    loads("a").awaitHeld(Point.LOAD, 1);
    loads("b").awaitHeld(Point.LOAD, 1);
    repository.model("c", 1);
    CompletableFuture<?> third = loading(ONE, "c");

    var _ = manager.stop();

    assertThatThrownBy(third::join).hasMessageContaining("Server");
    loads("a").release(Point.LOAD, 1);
    loads("b").release(Point.LOAD, 1);
    CompletableFuture.allOf(first, second).join();
  }
}
