package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.Rule;
import java.util.Map;

/** What the index shows of models in each of their states. */
public abstract class IndexVerification extends ModelControlVerification {
  @Rule("REPO-11")
  void showsOnlyTheNameOfAModelThatWasNeverLoaded() {
    repository().addEcho("never_loaded");

    assertRows("never_loaded", Map.of("name", "never_loaded"));
    assertThat(readyRows("never_loaded")).isEmpty();
  }

  @Rule("REPO-12")
  void showsVersionsThatAreReadyInAscendingOrder() {
    repository().add("ready", RepositoryFolder.ECHO + "version_policy { all { } }", 10, 9, 2);
    loaded(load("ready"));

    assertRows(
        "ready", row("ready", 2, "READY"), row("ready", 9, "READY"), row("ready", 10, "READY"));
    assertThat(readyRows("ready")).isEqualTo(rows("ready"));
  }

  @Rule("REPO-13")
  void showsWhyAVersionFailedToLoad() {
    repository().add("failed", RepositoryFolder.BROKEN, 1);
    load("failed");

    assertRows("failed", unavailable("failed", 1, RepositoryFolder.reasonOfBroken("failed")));
    assertThat(readyRows("failed")).isEmpty();
  }

  @Rule("REPO-14")
  void showsThatAVersionIsUnloaded() {
    loadEcho("gone");
    unloaded("gone");

    assertRows("gone", unavailable("gone", 1, "unloaded"));
    assertThat(readyRows("gone")).isEmpty();
  }

  @Rule("REPO-15")
  void showsThatAModelIsInTwoRepositories() {
    repository().addEcho("twice");
    otherRepository().addEcho("twice");

    var reason = "model appears in two or more repositories";
    assertRows("twice", Map.of("name", "twice", "state", "UNAVAILABLE", "reason", reason));
    pollFails(load("twice"), "twice");
  }

  @Rule("REPO-16")
  void showsNoVersionOfAModelThatFailedBeforeItHadOne() {
    repository().add("versionless", RepositoryFolder.ECHO);
    assertThat(load("versionless").status()).isEqualTo(400);

    assertThat(rows("versionless"))
        .allSatisfy(row -> assertThat(members(row)).isEqualTo("name state reason"));
    assertThat(readyRows("versionless")).isEmpty();
  }

  @Rule("REPO-17")
  void showsModelsOfAllRepositories() {
    otherRepository().addEcho("elsewhere");
    loaded(load("elsewhere"));

    assertRows("elsewhere", row("elsewhere", 1, "READY"));
  }

  @Rule("REPO-18")
  void showsNoRowOfAModelWhoseFolderIsGone() {
    loadEcho("vanished");
    repository().remove("vanished");

    assertRows("vanished");
    echo("vanished");
  }
}
