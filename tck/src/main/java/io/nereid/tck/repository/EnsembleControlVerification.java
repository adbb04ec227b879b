package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.Rule;
import io.nereid.tck.support.Polling;
import java.util.List;

/** Loading and unloading ensembles with the models that they are composed of. */
public abstract class EnsembleControlVerification extends ModelControlVerification {
  /** Adds an ensemble of one step, which echoes. */
  private void addEnsemble(String ensemble, String member) {
    repository()
        .add(
            ensemble,
            """
            platform: "ensemble"
            input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
            output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
            ensemble_scheduling {
              step {
                model_name: "%s"
                model_version: -1
                input_map { key: "INPUT0" value: "INPUT0" }
                output_map { key: "OUTPUT0" value: "OUTPUT0" }
              }
            }
            """
                .formatted(member),
            1);
  }

  @Rule("REPO-61")
  void loadsTheModelsOfAnEnsembleWithIt() {
    repository().addEcho("pulled_member");
    addEnsemble("pulling", "pulled_member");

    loaded(load("pulling"));

    assertThat(isReady("pulled_member")).isTrue();
    echo("pulling");
  }

  @Rule("REPO-62")
  void unloadsAnEnsembleWithAModelOfIt() {
    loadEcho("needed");
    addEnsemble("needing", "needed");
    loaded(load("needing"));

    unloaded("needed");

    Polling.await(() -> isReady("needing"), ready -> !ready);
  }

  @Rule("REPO-63")
  void keepsTheModelsOfAnEnsembleThatIsUnloaded() {
    repository().addEcho("kept_member");
    addEnsemble("leaving", "kept_member");
    loaded(load("leaving"));

    unloaded("leaving");

    echo("kept_member");
  }

  @Rule("REPO-64")
  void unloadsDependentsThatWereLoadedForAnEnsembleAlone() {
    repository().addEcho("only_for_it");
    addEnsemble("alone", "only_for_it");
    loaded(load("alone"));

    loaded(unloadWithDependents("alone"));

    awaitUnloaded("alone");
    awaitUnloaded("only_for_it");
  }

  @Rule("REPO-65")
  void keepsDependentsThatWereLoadedByRequestOrAreUsedByAnotherEnsemble() {
    loadEcho("asked_for");
    repository().addEcho("shared");
    addEnsemble("of_asked_for", "asked_for");
    addEnsemble("of_shared", "shared");
    addEnsemble("of_shared_too", "shared");
    for (String ensemble : List.of("of_asked_for", "of_shared", "of_shared_too")) {
      loaded(load(ensemble));
    }

    for (String ensemble : List.of("of_asked_for", "of_shared")) {
      loaded(unloadWithDependents(ensemble));
      awaitUnloaded(ensemble);
    }

    echo("asked_for");
    echo("of_shared_too");
  }

  @Rule("REPO-66")
  void loadsAnEnsembleOnceTheModelThatItLacksIsThere() {
    addEnsemble("incomplete", "missing_member");
    var response = load("incomplete");
    assertThat(response.status()).as(response.text()).isIn(400, 500);
    assertThat(isReady("incomplete")).isFalse();

    repository().addEcho("missing_member");
    loaded(load("incomplete"));

    echo("incomplete");
  }

  @Rule("REPO-67")
  void loadsAnEnsembleAgainOnceAModelOfItIsCorrected() {
    repository().add("corrected_member", RepositoryFolder.BROKEN, 1);
    addEnsemble("waiting", "corrected_member");
    rejected(load("waiting"), "load failed for model 'waiting': ...");

    repository().configure("corrected_member", RepositoryFolder.ECHO);
    loaded(load("corrected_member"));
    loaded(load("waiting"));

    echo("waiting");
  }

  @Rule("REPO-69")
  void respondsWithTheSameReasonToARepeatedLoad() {
    addEnsemble("dependent", "absent_member");

    var first = load("dependent");
    var second = load("dependent");

    assertThat(first.status()).isEqualTo(400);
    assertThat(first.text()).contains("load failed for model 'dependent': ");
    assertThat(second.text()).isEqualTo(first.text());
    assertThat(second.status()).isEqualTo(400);
  }

  @Rule("REPO-68")
  void servesAnEnsembleWithTheNewVersionOfAModel() {
    loadEcho("renewed");
    addEnsemble("of_renewed", "renewed");
    loaded(load("of_renewed"));

    repository().write("renewed", "2/model.txt", "new");
    loaded(load("renewed"));

    assertThat(echo("renewed")).isEqualTo("2");
    echo("of_renewed");
  }
}
