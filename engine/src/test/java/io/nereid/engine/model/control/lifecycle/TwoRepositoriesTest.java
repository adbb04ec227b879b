package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Copy;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.scheduler.TestResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models of the same name in two repositories, with and without namespaces. */
class TwoRepositoriesTest extends LifecycleTests {
  private static final String DUPLICATE =
      "twin UNAVAILABLE model appears in two or more repositories";

  @TempDir private Path secondDirectory;
  private ControlledRepository second;

  @BeforeEach
  void createSecondRepository() {
    second = new ControlledRepository(secondDirectory);
  }

  @Override
  protected List<Path> repositories() {
    return List.of(directory, secondDirectory);
  }

  private void restart(ControlMode mode, boolean namespacing) {
    manager.close();
    manager = manager(repositories(), control(mode, List.of(), namespacing));
  }

  private void poll() {
    manager.poll();
    manager.poll(); // acts on what two polls in a row have seen
  }

  /** Which repository's copy executed a request. */
  private Path executor(String model, String id) {
    return Objects.requireNonNull(loads(model).executor(id).directory().getParent());
  }

  private Path executeEnsemble(String ensemble, String model, String id) {
    TestResponse response = submit(ensemble, id);
    gate(model).open(1);
    assertThat(response.await().failure()).isEmpty();
    return executor(model, id);
  }

  @Test
  void modelsOfBothRepositoriesServe() {
    repository.model("a", 1);
    second.model("b", 1).model("e", ensemble("a", "b"), 1);

    load("e");

    assertThat(index()).containsExactly("a 1 READY", "b 1 READY", "e 1 READY");
  }

  @Test
  void aModelInTwoRepositoriesIsNotLoaded() {
    repository.model("twin", 1).model("other", 1);
    second.model("twin", 1);

    InferenceException failure = loadFailure("twin");
    load("other");

    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure)
        .hasMessageStartingWith("failed to load 'twin', failed to poll from model repository");
    assertThat(index()).containsExactly("other 1 READY", DUPLICATE);
    assertThat(index(true)).containsExactly("other 1 READY");
    assertThat(failure(() -> loadWith("twin", "{\"backend\": \"lifecycle\"}")))
        .hasMessageStartingWith("failed to load 'twin', failed to poll from model repository");
    assertThat(loads("twin").copies()).isEmpty();
  }

  @Test
  void theServerStartsWithoutAModelThatIsInTwoRepositories() {
    repository.model("twin", 1).model("other", 1);
    second.model("twin", 1);
    restart(ControlMode.NONE, false);

    assertThat(manager.loadAll()).isFalse();

    assertThat(index()).containsExactly("other 1 READY", DUPLICATE);
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void aModelServesOnIfAnotherOfItsNameAppearsLater() {
    repository.model("twin", 1);
    load("twin");
    second.model("twin", 1);

    loadFailure("twin");

    execute("twin", "r");
    assertThat(index()).containsExactly(DUPLICATE);
    unload("twin");
    await(() -> loads("twin").copies().getFirst().isClosedOnce(), "the model to close");
    second.delete("twin");
    load("twin");
    assertThat(index()).containsExactly("twin 1 READY");
  }

  @Test
  void inPollModeAModelIsUnloadedWhileAnotherHasItsName() {
    repository.model("twin", 1);
    restart(ControlMode.POLL, false);
    assertThat(manager.loadAll()).isTrue();
    second.model("twin", 1);

    poll();

    assertThat(failure(() -> submit("twin", "r"))).hasMessageContaining("no available versions");
    assertThat(index()).containsExactly(DUPLICATE);
    second.delete("twin");
    poll();
    assertThat(index()).containsExactly("twin 1 READY");
  }

  @Test
  void withNamespacesBothModelsOfANameAreLoaded() {
    repository.model("twin", 1).model("other", 1);
    second.model("twin", 2);
    restart(ControlMode.EXPLICIT, true);

    load("twin");

    assertThat(index()).hasSize(3).contains("other", "twin 1 READY", "twin 2 READY");
    InferenceException ambiguous = failure(() -> submit("twin", "r"));
    assertThat(ambiguous.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(ambiguous)
        .hasMessage(
            "There are 2 identifiers of model 'twin' in global map, model namespace must be"
                + " provided to resolve ambiguity.");
    assertThat(failure(() -> submit("twin", 1, "r"))).hasMessage(ambiguous.getMessage());
    assertThat(engine.isReady("twin", OptionalLong.empty())).isFalse();
    unload("twin");
    awaitRows("other", "twin 1 UNAVAILABLE unloaded", "twin 2 UNAVAILABLE unloaded");
  }

  private void awaitRows(String... rows) {
    await(() -> List.of(rows).equals(index().stream().sorted().toList()), "the index");
  }

  @Test
  void withNamespacesAnEnsembleUsesTheModelsOfItsOwnRepositoryFirst() {
    repository.model("m", 1).model("e", ensemble("m"), 1);
    second.model("m", 1).model("f", ensemble("m"), 1).model("g", ensemble("only"), 1);
    repository.model("only", 1);
    restart(ControlMode.NONE, true);

    assertThat(manager.loadAll()).isTrue();

    assertThat(executeEnsemble("e", "m", "of e")).isEqualTo(directory);
    assertThat(executeEnsemble("f", "m", "of f")).isEqualTo(secondDirectory);
    assertThat(executeEnsemble("g", "only", "of g")).isEqualTo(directory);
  }

  @Test
  void withNamespacesANameIsNotAmbiguousOnceOneOfItsModelsIsGone() {
    repository.model("twin", 1);
    second.model("twin", 1);
    restart(ControlMode.POLL, true);
    assertThat(manager.loadAll()).isTrue();
    assertThat(failure(() -> submit("twin", "r"))).hasMessageContaining("2 identifiers");
    repository.delete("twin");

    poll();

    execute("twin", "r");
    assertThat(executor("twin", "r")).isEqualTo(secondDirectory);
    repository.model("twin", 1);
    poll();
    assertThat(failure(() -> submit("twin", "r"))).hasMessageContaining("2 identifiers");
    assertThat(loads("twin").copies()).extracting(Copy::isClosedOnce).contains(true, false);
  }

  @Test
  void withNamespacesAnEnsembleUsesTheOtherModelOnceItsOwnIsGone() {
    repository.model("m", 1);
    second.model("m", 1).model("e", ensemble("m"), 1);
    restart(ControlMode.POLL, true);
    assertThat(manager.loadAll()).isTrue();
    assertThat(executeEnsemble("e", "m", "own")).isEqualTo(secondDirectory);
    second.delete("m");

    poll();
    poll(); // the ensemble was unloaded with its own model

    assertThat(executeEnsemble("e", "m", "other")).isEqualTo(directory);
  }

  @Test
  void withNamespacesAnUnknownNameIsNotFound() {
    repository.model("m", config(""), 1);
    restart(ControlMode.EXPLICIT, true);

    assertThat(failure(() -> submit("unknown", "r")))
        .hasMessage("Request for unknown model: 'unknown' is not found");
  }
}
