package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import org.junit.jupiter.params.provider.ValueSource;

/** Unloading, and what is left of a model. */
public abstract class UnloadVerification extends ModelControlVerification {
  @Rule("REPO-51")
  void ignoresAModelThatIsUnknownOrNotLoaded() {
    repository().addEcho("not_loaded");

    loaded(unload("unknown"));
    loaded(unload("not_loaded"));
    loaded(unload(".."));
    assertRows("unknown");
  }

  @Rule("REPO-52")
  void rejectsRequestsForAModelThatIsUnloaded() {
    loadEcho("rejecting");
    echo("rejecting");
    unloaded("rejecting");

    rejected(
        infer("rejecting", ECHO_REQUEST),
        404,
        "Request for unknown model: 'rejecting' has no available versions");
    rejected(
        infer("rejecting/versions/1", ECHO_REQUEST),
        503,
        "Request for unknown model: 'rejecting' version 1 is not at ready state");
    assertThat(isReady("rejecting")).isFalse();
    assertThat(isReady("rejecting/versions/1")).isFalse();
    assertThat(get("/v2/models/rejecting/stats").status()).isEqualTo(400);
  }

  @Rule("REPO-53")
  void isReadyThoughAModelIsUnloaded() {
    loadEcho("unloaded_at_will");
    unloaded("unloaded_at_will");

    assertThat(get("/v2/health/ready").status()).isEqualTo(200);
  }

  @Rule("REPO-54")
  void loadsAModelAgainThatWasUnloaded() {
    loadEcho("back");
    countOne("back");
    for (int i = 0; i < 20; i++) {
      unloaded("back");
      loaded(load("back"));
    }

    assertThat(inferences("back")).isZero();
    echo("back");
  }

  @RuleCases("HTTP-REPO-17")
  @ValueSource(strings = {"1", "\"true\"", "null"})
  void keepsAModelForAnInvalidRequest(String dependents) {
    repository().addEcho("still_here");
    loaded(load("still_here"));

    var body = "{\"parameters\":{\"unload_dependents\":" + dependents + "}}";
    rejected(
        post("/v2/repository/models/still_here/unload", body),
        "Unable to parse 'unload_dependents': attempt to access JSON non-boolean as boolean");

    echo("still_here");
  }
}
