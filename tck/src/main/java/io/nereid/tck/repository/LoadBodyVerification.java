package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies of load and unload requests that are malformed, where clients control models. */
public abstract class LoadBodyVerification extends ModelControlVerification {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HTTP-REPO-06 | load   | x                              | failed to parse the request JSON buffer: ...
          HTTP-REPO-06 | load   | {"parameters":                 | failed to parse the request JSON buffer: ...
          HTTP-REPO-06 | unload | x                              | failed to parse the request JSON buffer: ...
          HTTP-REPO-06 | unload | {"parameters":                 | failed to parse the request JSON buffer: ...
          HTTP-REPO-13 | load   | {"parameters":{"unknown":"x"}} | unexpected error on creating Triton parameter...
          """)
  @Rule
  void rejectsABodyThatIsNotJsonAndAnUnknownParameter(
      String rule, String action, String json, String text) {
    rejected(post("/v2/repository/models/simple/" + action, json), 500, text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HTTP-REPO-11 | {"config":{}}   | attempt to access JSON non-string as string
          HTTP-REPO-11 | {"config":null} | attempt to access JSON non-string as string
          HTTP-REPO-11 | {"file:1/a":1}  | attempt to access JSON non-string as string
          HTTP-REPO-11 | {"other":true}  | attempt to access JSON non-string as string
          HTTP-REPO-12 | []              | attempt to get members for non-object
          """)
  @Rule
  void rejectsParametersOfAnotherType(String rule, String parameters, String part) {
    var response = load("simple", "{\"parameters\":" + parameters + "}");
    assertThat(response.text()).contains(part);
    rejected(response, 500, "...");
  }
}
