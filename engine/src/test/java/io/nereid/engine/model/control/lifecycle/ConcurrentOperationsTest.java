package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.scheduler.TestResponse;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Operations at the same time: on one model, on related models, on others, and with the end. */
class ConcurrentOperationsTest extends LifecycleTests {
  private Operation heldLoad(String model, long version) {
    loads(model).hold(Point.LOAD, version);
    Operation load = Operation.start(() -> load(model));
    loads(model).awaitHeld(Point.LOAD, version);
    return load;
  }

  @Test
  void anUnloadWaitsForTheLoadOfItsModel() {
    repository.model("m", 1);
    Operation load = heldLoad("m", 1);

    Operation unload = Operation.start(() -> unload("m")).awaitWaiting();

    assertThat(index()).containsExactly("m 1 LOADING");
    assertThat(unload.isDone()).isFalse();
    loads("m").release(Point.LOAD, 1);
    load.join();
    unload.join();
    awaitIndex("m 1 UNAVAILABLE unloaded");
    assertThat(loads("m").copies()).hasSize(1);
  }

  @Test
  void aLoadWaitsForTheLoadOfItsModelAndThenHasNothingToDo() {
    repository.model("m", 1);
    Operation first = heldLoad("m", 1);

    Operation second = Operation.start(() -> load("m")).awaitWaiting();
    loads("m").release(Point.LOAD, 1);

    first.join();
    second.join();
    assertThat(loads("m").copies()).hasSize(1);
  }

  @Test
  void aLoadThatHasWaitedSeesTheFilesAsTheyAreThen() {
    repository.model("m", 1);
    load("m");
    repository.version("m", 2);
    Operation first = heldLoad("m", 2);
    Operation second = Operation.start(() -> load("m")).awaitWaiting();

    repository.version("m", 3); // the first load begins again, since files were changed
    loads("m").release(Point.LOAD, 2);

    first.join();
    second.join();
    awaitIndex("m 1 UNAVAILABLE unloaded", "m 3 READY");
    assertThat(loads("m").copies(3)).hasSize(1);
  }

  @Test
  void unrelatedModelsLoadAndUnloadAtTheSameTime() {
    repository.model("a", 1).model("b", 1).model("c", 1);
    load("c");
    Operation a = heldLoad("a", 1);
    Operation b = heldLoad("b", 1);

    assertThat(index()).containsExactly("a 1 LOADING", "b 1 LOADING", "c 1 READY");
    execute("c", "r");
    unload("c");
    awaitIndex("a 1 LOADING", "b 1 LOADING", "c 1 UNAVAILABLE unloaded");

    loads("b").release(Point.LOAD, 1);
    b.join();
    assertThat(a.isDone()).isFalse();
    loads("a").release(Point.LOAD, 1);
    a.join();
  }

  @Test
  void theVersionsOfAModelLoadAtTheSameTime() {
    repository.model("m", ControlledRepository.config("version_policy { all {} }"), 1, 2);
    loads("m").hold(Point.LOAD, 1);
    loads("m").hold(Point.LOAD, 2);

    Operation load = Operation.start(() -> load("m"));

    loads("m").awaitHeld(Point.LOAD, 1);
    loads("m").awaitHeld(Point.LOAD, 2);
    loads("m").release(Point.LOAD, 1);
    loads("m").awaitLoaded(1);
    assertThat(engine.isReady("m", OptionalLong.empty())).isFalse();
    loads("m").release(Point.LOAD, 2);
    load.join();
    assertThat(index()).containsExactly("m 1 READY", "m 2 READY");
  }

  @Test
  void operationsOnTheModelsOfAnEnsembleWaitForOneAnother() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a", "b"), 1);
    load("e");
    repository.version("a", 2).version("b", 2);
    Operation a = heldLoad("a", 2);

    Operation b = Operation.start(() -> load("b")).awaitWaiting();
    Operation unload = Operation.start(() -> unload("e")).awaitWaiting();

    assertThat(loads("b").copies(2)).isEmpty();
    assertThat(index()).contains("e 1 READY");
    loads("a").release(Point.LOAD, 2);
    a.join();
    b.join();
    unload.join();
    awaitIndex(
        "a 1 UNAVAILABLE unloaded",
        "a 2 READY",
        "b 1 UNAVAILABLE unloaded",
        "b 2 READY",
        "e 1 UNAVAILABLE unloaded");
  }

  @Test
  void aLoadOfAnEnsembleWaitsForTheLoadOfAModelThatItWillUse() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    Operation m = heldLoad("m", 1);

    Operation e = Operation.start(() -> load("e")).awaitWaiting();

    assertThat(e.isDone()).isFalse();
    loads("m").release(Point.LOAD, 1);
    m.join();
    e.join();
    assertThat(index()).containsExactly("e 1 READY", "m 1 READY");
    assertThat(loads("m").copies()).hasSize(1);
  }

  @Test
  void closingWaitsForTheLoadAndRejectsLaterOperations() {
    repository.model("m", 1).model("n", 1);
    Operation load = heldLoad("m", 1);
    Operation waiting = Operation.start(() -> load("m")).awaitWaiting();

    Operation close = Operation.start(manager::close);

    assertThat(waiting.failure()).hasMessage("Server exiting");
    await(() -> !isAccepted("n"), "operations to be rejected");
    assertThat(close.isDone()).isFalse();
    loads("m").release(Point.LOAD, 1);
    load.join();
    close.join();
    assertThat(index()).containsExactly("m 1 UNAVAILABLE unloaded", "n");
    assertThat(loadFailure("m").code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure(() -> unload("m"))).hasMessage("Server exiting");
  }

  private boolean isAccepted(String model) {
    try {
      unload(model);
      return true;
    } catch (InferenceException rejected) {
      return false;
    }
  }

  @Test
  void closingWaitsForRequests() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    load("e");
    TestResponse held = submit("e", "held");
    gate("m").awaitBegun(1);

    Operation close = Operation.start(manager::close);
    awaitIndex("e 1 UNLOADING", "m 1 UNLOADING");

    assertThat(close.isDone()).isFalse();
    gate("m").openAll();
    close.join();
    assertThat(held.await().failure()).isEmpty();
  }

  @Test
  void anInterruptedCallerThatWaitsForAnotherOperationGivesUp() {
    repository.model("m", 1);
    Operation load = heldLoad("m", 1);
    Operation second = Operation.start(() -> load("m")).awaitWaiting();

    second.interrupt();

    assertThat(second.failure().code()).isEqualTo(StatusCode.CANCELLED);
    loads("m").release(Point.LOAD, 1);
    load.join();
    unload("m");
  }

  @Test
  void anInterruptedLoadIsCompleted() {
    repository.model("m", 1);
    Operation load = heldLoad("m", 1);

    load.interrupt();
    loads("m").release(Point.LOAD, 1);

    load.join();
    assertThat(index()).containsExactly("m 1 READY");
  }

  @Test
  void aRequestThatWasDecodedForAnEarlierVersionGoesToItsSuccessor() {
    repository.model("m", 1);
    load("m");
    var decodedFor = engine.model("m", OptionalLong.empty());
    repository.version("m", 2);
    load("m");
    loads("m").awaitClosed(loads("m").copies(1).getFirst());

    TestResponse response = submit(decodedFor, OptionalLong.empty(), "late");

    gate("m").open(1);
    assertThat(response.await().failure()).isEmpty();
    assertThat(loads("m").executor("late").version()).isEqualTo(2);
  }

  @Test
  void aRequestForAFixedVersionGoesToTheSuccessorOfThatVersion() {
    repository.model("m", 1);
    load("m");
    var decodedFor = engine.model("m", OptionalLong.of(1));
    repository.touch("m/1/model.bin");
    load("m");
    loads("m").awaitClosed(loads("m").copies(1).getFirst());

    TestResponse response = submit(decodedFor, OptionalLong.of(1), "late");

    gate("m").open(1);
    assertThat(response.await().failure()).isEmpty();
    assertThat(loads("m").executor("late")).isEqualTo(loads("m").copies(1).getLast());
    repository.version("m", 2);
    load("m");
    loads("m").awaitClosed(loads("m").copies(1).getLast());
    assertThat(submit(decodedFor, OptionalLong.of(1), "too late").await().failure())
        .get()
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE));
  }

  @Test
  void aRequestThatWasDecodedForAnUnloadedModelIsRejected() {
    repository.model("m", 1);
    load("m");
    var decodedFor = engine.model("m", OptionalLong.empty());
    unload("m");
    loads("m").awaitClosed(loads("m").copies().getFirst());

    TestResponse response = submit(decodedFor, OptionalLong.empty(), "late").await();

    assertThat(response.failure())
        .get()
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.NOT_FOUND));
    assertThat(pool.outstanding()).isZero();
  }
}
