package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Copy;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.StatusCode;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Files that change while they are loaded. */
class ChangingFilesTest extends LifecycleTests {
  private static final String CHANGED = "the files of model 'm' were changed while it was loading";

  @Override
  protected ControlSettings control() {
    return explicit(List.of("*"));
  }

  /** Changes a file during the next loads of a version. */
  private void changeDuring(int loads, long version) {
    var left = new AtomicInteger(loads);
    loads("m")
        .run(
            Point.LOAD,
            version,
            () -> {
              if (left.getAndDecrement() > 0) {
                repository.touch("m/%d/model.bin".formatted(version));
              }
            });
  }

  @Test
  void aModelWhoseFilesChangeIsLoadedAgainAsTheyAreThen() {
    repository.model("m", 1);
    changeDuring(2, 1);

    load("m");

    assertThat(index()).containsExactly("m 1 READY");
    assertThat(loads("m").copies()).hasSize(3);
    loads("m").copies().subList(0, 2).forEach(loads("m")::awaitClosed);
    load("m");
    assertThat(loads("m").copies()).hasSize(3);
  }

  @Test
  void aModelWhoseFilesChangeAgainAndAgainFails() {
    repository.model("m", 1);
    changeDuring(100, 1);

    var failure = loadFailure("m");

    assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessage("load failed for model 'm': " + CHANGED + "\n");
    assertThat(index()).containsExactly("m 1 UNAVAILABLE Unavailable: " + CHANGED);
    assertThat(loads("m").copies()).hasSize(3);
    loads("m").copies().forEach(loads("m")::awaitClosed);
  }

  @Test
  void theFormerVersionServesOnIfTheFilesOfTheNewOneChange() {
    repository.model("m", 1);
    load("m");
    repository.version("m", 2);
    changeDuring(100, 2);

    loadFailure("m");

    assertThat(index()).containsExactly("m 1 READY", "m 2 UNAVAILABLE Unavailable: " + CHANGED);
    execute("m", "r");
    assertThat(loads("m").executor("r").version()).isEqualTo(1);
  }

  @Test
  void aFailedVersionWhoseFilesChangedIsTriedAgain() {
    repository.model("m", 1);
    loads("m")
        .run(
            Point.LOAD,
            1,
            () -> {
              if (loads("m").copies().size() == 1) {
                repository.touch("m/1/model.bin");
                throw new IllegalStateException("half a model");
              }
            });

    load("m");

    assertThat(index()).containsExactly("m 1 READY");
  }

  @Test
  void theServerTriesAgainAtItsStart() {
    repository.model("m", 1).model("n", 1);
    changeDuring(2, 1);

    assertThat(manager.loadAll()).isTrue();

    assertThat(index()).containsExactly("m 1 READY", "n 1 READY");
    assertThat(loads("n").copies()).hasSize(1);
  }

  @Test
  void anEnsembleIsLoadedAtTheStartOnceItsModelIs() {
    repository.model("m", 1).model("e", ControlledRepository.ensemble("m"), 1);
    changeDuring(2, 1);

    assertThat(manager.loadAll()).isTrue();

    assertThat(index()).containsExactly("e 1 READY", "m 1 READY");
  }

  @Test
  void theServerStartsWithoutAModelWhoseFilesChangeAgainAndAgain() {
    repository.model("m", 1).model("n", 1);
    changeDuring(100, 1);

    assertThat(manager.loadAll()).isFalse();

    assertThat(index()).containsExactly("m 1 UNAVAILABLE Unavailable: " + CHANGED, "n 1 READY");
  }

  @Test
  void aVersionThatIsCopiedUnderAHiddenNameDisturbsNoLoad() {
    repository.model("m", 1);
    loads("m").run(Point.LOAD, 1, () -> repository.write("m/.2/model.bin", "half of it"));

    load("m");

    assertThat(index()).containsExactly("m 1 READY");
    assertThat(loads("m").copies()).extracting(Copy::version).containsExactly(1L);
  }

  @Test
  void aModelWhoseDirectoryIsRemovedDuringTheLoadIsNotFound() {
    repository.model("m", 1);
    loads("m").run(Point.LOAD, 1, () -> repository.delete("m"));

    assertThat(loadFailure("m")).hasMessageStartingWith("failed to load 'm', failed to poll");

    loads("m").copies().forEach(loads("m")::awaitClosed);
  }
}
