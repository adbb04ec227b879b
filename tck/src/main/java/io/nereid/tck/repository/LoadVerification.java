package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Polling;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.params.provider.CsvSource;

/** Loading and reloading what is in the repository. */
public abstract class LoadVerification extends ModelControlVerification {
  private static final String TWO_INSTANCES = "instance_group { count: 2 kind: KIND_CPU }";

  private static String failed(String model, int version) {
    return "load failed for model '%s': version %d is at UNAVAILABLE state: %s;"
        .formatted(model, version, RepositoryFolder.reasonOfBroken(model));
  }

  @Rule("REPO-21")
  void servesAModelOnceItIsLoaded() {
    repository().add("served", RepositoryFolder.ECHO, 1, 3);
    assertThat(isReady("served")).isFalse();

    loaded(load("served"));

    assertThat(isReady("served")).isTrue();
    assertThat(echo("served")).isEqualTo("3");
    assertRows("served", row("served", 3, "READY"));
  }

  @Rule("REPO-22")
  void rejectsAModelThatIsInNoRepository() {
    pollFails(load("nowhere"), "nowhere");
    assertRows("nowhere");
  }

  @Rule("REPO-23")
  void acceptsDotsInAName() {
    loadEcho("a..1");

    echo("a..1");
    pollFails(load("..."), "...");
  }

  @Rule("REPO-24")
  void rejectsANameThatLeavesTheRepository() {
    rejected(
        load(".."),
        "invalid model name '..', model name must not contain path traversal characters");
  }

  @RuleCases({"REPO-24", "HTTP-REPO-15"})
  @CsvSource({"%2E%2E,..", "a%2Fb,a/b", "..%2Fmodels,../models"})
  void rejectsAnEncodedNameThatLeavesTheRepository(String encoded, String name) {
    rejected(
        load(encoded),
        "invalid model name '%s', model name must not contain path traversal characters"
            .formatted(name));
  }

  @Rule({"REPO-25", "HTTP-REPO-15"})
  void rejectsANameOfBlanks() {
    rejected(load("%20%09"), "Model name cannot be empty. Please enter a valid name to deploy.");
  }

  @Rule("HTTP-REPO-15")
  void decodesTheNameOfAModel() {
    repository().addEcho("with blank");
    loaded(load("with%20blank"));
    echo("with%20blank");
    loaded(unload("with%20blank"));
    awaitUnloaded("with blank");
  }

  @Rule("REPO-26")
  void respondsWithTheReasonOfAVersionThatDoesNotLoad() {
    repository().add("broken", RepositoryFolder.BROKEN, 2);

    loadFails(load("broken"), failed("broken", 2));
    assertThat(isReady("broken")).isFalse();
    loadFails(load("broken"), failed("broken", 2));
  }

  @Rule("REPO-26")
  void respondsWithTheReasonsOfAllVersionsThatDoNotLoad() {
    repository().add("all_broken", RepositoryFolder.BROKEN + "version_policy { all { } }", 1, 2);
    String beginning = "load failed for model 'all_broken': ";
    assertThat(error(load("all_broken"), 400))
        .startsWith(beginning + "version ")
        .contains(failed("all_broken", 1).substring(beginning.length()))
        .contains(failed("all_broken", 2).substring(beginning.length()))
        .endsWith(";\n")
        .containsOnlyOnce("\n");
    assertThat(rows("all_broken")).hasSize(2);
  }

  @Rule("REPO-27")
  void respondsWithTheReasonOfAModelThatHasNoVersionToLoad() {
    var ninth = "version_policy { specific { versions: 9 } }";
    repository().add("unversioned", RepositoryFolder.ECHO + ninth, 1);

    loadFails(
        load("unversioned"),
        "load failed for model 'unversioned': at least one version must be available under the"
            + " version policy of model 'unversioned'");
  }

  @Rule("REPO-28")
  void rejectsAConfigurationThatCannotBeRead() {
    repository().add("unreadable", "backend: \"tck_echo\" no_such_field: 1", 1);

    pollFails(load("unreadable"), "unreadable");
  }

  @Rule("REPO-29")
  void loadsAModelThatFailedBeforeAndIsCorrected() {
    repository().add("corrected", RepositoryFolder.BROKEN, 1);
    loadFails(load("corrected"), failed("corrected", 1));

    repository().configure("corrected", RepositoryFolder.ECHO);
    loaded(load("corrected"));

    echo("corrected");
    assertRows("corrected", row("corrected", 1, "READY"));
  }

  @Rule("REPO-30")
  void rejectsAModelWhoseBackendIsMissing() {
    repository().add("homeless", RepositoryFolder.ECHO.replace("tck_echo", "absent"), 1);

    rejected(
        load("homeless"),
        400,
        "load failed for model 'homeless': version 1 is at UNAVAILABLE state: Invalid argument:"
            + " unable to find backend library for backend 'absent', try specifying runtime on the"
            + " model configuration....");
  }

  @Rule("REPO-31")
  void leavesAModelThatHasNotChangedAsItIs() {
    loadEcho("unchanged");
    countOne("unchanged");

    loaded(load("unchanged"));

    assertThat(inferences("unchanged")).isEqualTo(1);
  }

  @RuleCases("REPO-32")
  @CsvSource({"reloaded_file,1/model.txt", "reloaded_beside,extra.txt"})
  void loadsAModelAgainWhoseFilesHaveChanged(String model, String file) {
    loadEcho(model);
    countOne(model);

    repository().write(model, file, "changed");
    loaded(load(model));

    assertThat(inferences(model)).isZero();
    echo(model);
  }

  @Rule("REPO-33")
  void changesTheNumberOfInstancesWithoutLoadingAgain() {
    loadEcho("instances");
    countOne("instances");

    repository().configure("instances", RepositoryFolder.ECHO + TWO_INSTANCES);
    loaded(load("instances"));

    assertThat(inferences("instances")).isEqualTo(1);
    var group = Json.list(config("instances", "instance_group")).getFirst();
    assertThat(Json.member(group, "count")).isEqualTo(BigDecimal.TWO);
    echo("instances");
  }

  @Rule("REPO-34")
  void servesTheOldVersionsOnWhenAReloadFails() {
    loadEcho("kept");
    countOne("kept");

    repository().configure("kept", RepositoryFolder.BROKEN);
    loadFails(load("kept"), failed("kept", 1));

    assertThat(isReady("kept")).isTrue();
    assertThat(inferences("kept")).isEqualTo(1);
    assertRows("kept", row("kept", 1, "READY"));
    echo("kept");
  }

  @Rule("REPO-34")
  void servesTheOldVersionOnWhenANewOneFails() {
    loadEcho("kept_old");
    repository().configure("kept_old", RepositoryFolder.BROKEN);
    repository().write("kept_old", "2/model.txt", "new");

    loadFails(load("kept_old"), failed("kept_old", 2));

    assertThat(echo("kept_old")).isEqualTo("1");
  }

  @Rule("REPO-35")
  void servesANewVersionInPlaceOfTheOldOne() {
    loadEcho("newer");
    assertThat(echo("newer")).isEqualTo("1");

    repository().write("newer", "2/model.txt", "new");
    loaded(load("newer"));

    assertThat(echo("newer")).isEqualTo("2");
    assertThat(readyRows("newer")).asInstanceOf(LIST).containsExactly(row("newer", 2, "READY"));
    Polling.await(
        () -> rows("newer"),
        rows ->
            rows.equals(List.of(unavailable("newer", 1, "unloaded"), row("newer", 2, "READY"))));
  }

  @Rule("REPO-36")
  void keepsWhatServesWhenTheConfigurationCannotBeReadAnyMore() {
    loadEcho("kept_unreadable");

    repository().configure("kept_unreadable", "max_batch_size: \"many\"");
    pollFails(load("kept_unreadable"), "kept_unreadable");

    echo("kept_unreadable");
  }
}
