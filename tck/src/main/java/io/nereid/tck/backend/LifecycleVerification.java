package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.spi.BackendProvider;
import io.nereid.spi.ModelInstance;
import io.nereid.tck.Rule;
import io.nereid.tck.execution.BrokenRule;
import io.nereid.tck.execution.ExecutedBatch;
import java.util.ServiceLoader;

/** From provider to instance, and their close. */
public abstract class LifecycleVerification extends BackendVerification {
  private static final int ROUNDS = 3;

  /** The providers that are found where the tested one must be: on the class path. */
  protected Iterable<BackendProvider> found() {
    return ServiceLoader.load(BackendProvider.class);
  }

  @Rule("BACKEND-LIFE-01")
  void isFoundByTheServiceLoader() {
    assertThat(found())
        .extracting(found -> (Object) found.getClass())
        .contains(backend().provider().getClass());
  }

  @Rule("BACKEND-LIFE-02")
  void hasANameThatAConfigurationCanHold() {
    String name = ask("BackendProvider.name", BackendProvider::name);
    assertThat(name).isNotNull().matches("[A-Za-z0-9_.-]+");
    assertThat(ask("BackendProvider.name", BackendProvider::name)).isEqualTo(name);
  }

  @Rule("BACKEND-LIFE-03")
  void opensAndClosesTimeAndAgain() {
    for (int round = 0; round < ROUNDS; round++) {
      try (var model = open()) {
        boolean healthy = model.call(() -> model.instance().isHealthy());
        assertThat(healthy).as("an instance that has just been opened is healthy").isTrue();
      }
    }
    try (var backend = openBackend()) { // as the server, which opens it once
      for (int round = 0; round < ROUNDS; round++) {
        try (var model = open(backend)) {
          model.run(requests(model.config(), round)).after("a reload").responses(0);
        }
      }
    }
  }

  @Rule("BACKEND-LIFE-04")
  void completesAConfigurationToOneThatIsComplete() {
    try (var backend = openBackend()) {
      var config = backend.tested().config();
      var completed = opened("BACKEND-LIFE-03", () -> backend.complete(config));

      assertThat(completed.name()).isEqualTo(config.name());
      assertThat(completed.inputs()).isNotEmpty();
      assertThat(completed.outputs()).isNotEmpty();
      assertThat(backend.complete(completed)).isEqualTo(completed);
    }
  }

  @Rule("BACKEND-LIFE-05")
  void loadsOneModelTwiceAtTheSameTime() {
    try (var backend = openBackend();
        var one = open(backend)) {
      var requests = requests(one.config(), 1);
      var before = one.run(requests).requireSound();
      try (var other = openAnother(backend)) {
        assertSame(other.run(requests).after("another copy was loaded"), before);
        assertSame(one.run(requests).after("another copy was loaded"), before);
      }
      assertSame(one.run(requests).after(ExecutedBatch.CLOSED), before);
    }
  }

  @Rule("BACKEND-LIFE-06")
  void closesWithoutHavingExecuted() {
    var model = open();
    try {
      model.close();
    } catch (BrokenRule broken) { // by a close, of which there are others
      throw new AssertionError(broken.getMessage(), broken);
    }
  }

  @Rule("BACKEND-LIFE-07")
  void closesAnInstanceWithoutAnEffectOnTheOthers() {
    try (var model = open();
        var thread = model.backend().thread()) {
      var requests = requests(model.config(), 2);
      var before = model.run(requests).requireSound();
      ModelInstance second =
          thread.call("Model.open", () -> model.model().open(model.backend().tested().instance(1)));
      assertSame(model.run(requests).after("a second instance was opened"), before);
      thread.run("ModelInstance.close", second::close);
      assertSame(model.run(requests).after(ExecutedBatch.CLOSED), before);
    }
  }

  @Rule("BACKEND-LIFE-08")
  void opensAgainOnceItWasClosed() {
    assumeThat(opensOnce()).as("the backend is opened once in a process").isFalse();
    var before = outputs();
    assertSame(outputs(), before);
  }

  private ExecutedBatch outputs() {
    try (var model = open()) {
      return model.run(requests(model.config(), 3)).requireSound();
    }
  }
}
