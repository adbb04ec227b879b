package io.nereid.server.telemetry.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.model.control.ModelIndexEntry.State;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ModelTableTest {
  @Test
  void namesOfFoldersBeginNoLineAndControlNoTerminal() {
    var table =
        new ModelTable(
            List.of(
                new ModelIndexEntry(
                    "a\u001b[31m\nb\u202e",
                    OptionalLong.empty(),
                    Optional.of(State.UNAVAILABLE),
                    "not\na name")));

    assertThat(table.toString())
        .contains("| a\\u001B[31m\\u000Ab\\u202E | -       | UNAVAILABLE: not\\u000Aa name |");
  }

  @Test
  void isTheSameWhereALocaleHasOtherDigits() {
    var table =
        new ModelTable(
            List.of(new ModelIndexEntry("a", OptionalLong.of(12), Optional.of(State.READY), "")));
    String expected = table.toString();
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR-u-nu-arabext"));
    try {
      assertThat(table.toString()).isEqualTo(expected);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void hasARowForEveryVersionThatWasLoadedOrFailed() {
    var table =
        new ModelTable(
            List.of(
                new ModelIndexEntry("a", OptionalLong.of(12), Optional.of(State.READY), ""),
                new ModelIndexEntry(
                    "broken",
                    OptionalLong.empty(),
                    Optional.of(State.UNAVAILABLE),
                    "Invalid argument: {0} is 5 % off"),
                new ModelIndexEntry("unused", OptionalLong.empty(), Optional.empty(), "")));

    assertThat(table.toString())
        .isEqualToNormalizingNewlines(
            """

            +--------+---------+-----------------------------------------------+
            | Model  | Version | Status                                        |
            +--------+---------+-----------------------------------------------+
            | a      | 12      | READY                                         |
            | broken | -       | UNAVAILABLE: Invalid argument: {0} is 5 % off |
            +--------+---------+-----------------------------------------------+\
            """);
  }
}
