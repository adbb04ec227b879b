package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.nereid.spi.BackendProvider;
import io.nereid.tck.Rule;
import io.nereid.tck.support.OpenModel;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** From provider to instance, and their close. */
public abstract class LifecycleVerification extends BackendVerification {
  @Test
  @Rule("BACKEND-LIFE-01")
  void isFoundByTheServiceLoader() {
    assertThat(ServiceLoader.load(BackendProvider.class))
        .extracting(found -> (Object) found.getClass())
        .contains(backend().provider().getClass());
  }

  @Test
  @Rule("BACKEND-LIFE-02")
  void hasANameThatAConfigurationCanHold() {
    assertThat(backend().provider().name()).matches("[A-Za-z0-9_.-]+");
  }

  @Test
  @Rule("BACKEND-LIFE-03")
  void opensAndClosesTimeAndAgain() {
    for (int round = 0; round < 3; round++) {
      try (var model = OpenModel.of(backend())) {
        assertThat(model.instance().isHealthy()).isTrue();
      }
    }
  }

  @Test
  @Rule("BACKEND-LIFE-04")
  void completesAConfigurationToOneThatIsComplete() {
    var tested = backend();
    try (var backend = tested.provider().open(tested.settings())) {
      var completed = backend.complete(tested.files(), tested.config());

      assertThat(completed.name()).isEqualTo(tested.config().name());
      assertThat(completed.inputs()).isNotEmpty();
      assertThat(completed.outputs()).isNotEmpty();
      assertThat(backend.complete(tested.files(), completed)).isEqualTo(completed);
    }
  }

  @Test
  @Rule("BACKEND-LIFE-05")
  void loadsOneModelTwiceAtTheSameTime() {
    try (var one = OpenModel.of(backend());
        var other = OpenModel.of(backend())) {
      var requests = BackendVerification.requests(one.config(), 1);
      assertThat(one.execute(requests).outputs(0).tensors()).isNotEmpty();
      assertThat(other.execute(requests).outputs(0).tensors()).isNotEmpty();
    }
  }

  @Test
  @Rule("BACKEND-LIFE-06")
  void closesWithoutHavingExecuted() {
    var model = OpenModel.of(backend());
    assertThatCode(model::close).doesNotThrowAnyException();
  }
}
