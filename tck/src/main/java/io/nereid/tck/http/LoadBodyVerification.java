package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of load and unload requests that are malformed, where clients control models. */
public abstract class LoadBodyVerification extends ModelControlVerification {
  @ParameterizedTest
  @ValueSource(strings = {"load", "unload"})
  @Rule("HTTP-REPO-06")
  void rejectsABodyThatIsNotJson(String action) {
    String target = "/v2/repository/models/simple/" + action;
    rejectedWith(post(target, "x"), 500, "failed to parse the request JSON buffer: ");
    rejectedWith(
        post(target, "{\"parameters\":"), 500, "failed to parse the request JSON buffer: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"config\":{}", "\"config\":null", "\"file:1/a\":1", "\"other\":true"})
  @Rule("HTTP-REPO-11")
  void rejectsAParameterThatIsNoString(String parameter) {
    var response = load("simple", "{\"parameters\":{" + parameter + "}}");
    assertThat(response.text()).contains("attempt to access JSON non-string as string");
    rejectedWith(response, 500, "");
  }

  @Test
  @Rule("HTTP-REPO-12")
  void rejectsParametersThatAreNoObject() {
    var response = load("simple", "{\"parameters\":[]}");
    assertThat(response.text()).contains("attempt to get members for non-object");
    rejectedWith(response, 500, "");
  }

  @Test
  @Rule("HTTP-REPO-13")
  void rejectsAnUnknownParameter() {
    rejectedWith(
        loadWith("simple", "unknown", "x"), 500, "unexpected error on creating Triton parameter");
  }
}
