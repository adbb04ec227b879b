package io.nereid.engine.model.config.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;

/** At which lines a text states its fields. */
class ConfigTextLinesTest {
  @Test
  void eachFieldOfAMessageAListAndAMapHasItsLine() {
    String text =
        """
        backend: "b"
        input [
          {
            name: "a"
            dims: [ 1,
              2 ]
          },
          { name: "b" }
        ]
        parameters {
          key: "k"
          value: { string_value: "v" }
        }
        """;

    assertThat(ConfigTextReader.read(text.getBytes(UTF_8)).lines())
        .containsOnly(
            entry("backend", 1),
            entry("input", 2),
            entry("input[0]", 3),
            entry("input[0].name", 4),
            entry("input[0].dims", 5),
            entry("input[1]", 8),
            entry("input[1].name", 8),
            entry("parameters", 10),
            entry("parameters[\"k\"]", 10),
            entry("parameters[\"k\"].key", 11),
            entry("parameters[\"k\"].value", 12),
            entry("parameters[\"k\"].value.string_value", 12));
  }
}
