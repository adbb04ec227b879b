package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.RuleTable;

/** Bodies of load and unload requests that are malformed, where clients control models. */
public abstract class LoadBodyVerification extends ModelControlVerification {
  @RuleTable(
      """
      HTTP-REPO-06 | load   | x                              | failed to parse the request JSON buffer: ...
      HTTP-REPO-06 | load   | {"parameters":                 | failed to parse the request JSON buffer: ...
      HTTP-REPO-06 | unload | x                              | failed to parse the request JSON buffer: ...
      HTTP-REPO-06 | unload | {"parameters":                 | failed to parse the request JSON buffer: ...
      HTTP-REPO-13 | load   | {"parameters":{"unknown":"x"}} | unexpected error on creating Triton parameter...
      """)
  void rejectsABodyThatIsNotJsonAndAnUnknownParameter(String action, String json, String text) {
    rejected(post("/v2/repository/models/simple/" + action, json), 500, text);
  }

  @RuleTable(
      """
      HTTP-REPO-11 | {"config":{}}   | attempt to access JSON non-string as string
      HTTP-REPO-11 | {"config":null} | attempt to access JSON non-string as string
      HTTP-REPO-11 | {"file:1/a":1}  | attempt to access JSON non-string as string
      HTTP-REPO-11 | {"other":true}  | attempt to access JSON non-string as string
      HTTP-REPO-12 | []              | attempt to get members for non-object
      """)
  void rejectsParametersOfAnotherType(String parameters, String part) {
    var response = load("simple", "{\"parameters\":" + parameters + "}");
    assertThat(response.text()).contains(part);
    rejected(response, 500, "...");
  }
}
