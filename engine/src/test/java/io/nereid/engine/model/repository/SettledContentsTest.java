package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.repository.DirectoryContents.FileState;
import io.nereid.error.InferenceException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * In these tests a letter stands for the contents of one model, {@code -} for none, and {@code ?}
 * for a directory that cannot be read. The first letter is what the server starts with.
 */
class SettledContentsTest {
  @ParameterizedTest
  @CsvSource({
    "---AAA, ----AA, a model appears",
    "AAABBB, AAAABB, a model changes",
    "AAA---, AAAA--, a model disappears",
    "-ABCCC, ----CC, a model is being copied",
    "ABCDDD, AAAADD, a model is being overwritten",
    "AA-BBB, AAAABB, a model is removed and another one renamed",
    "AA-AAA, AAAAAA, a model is removed and comes back",
    "AABAAA, AAAAAA, a change is undone",
    "ABABAB, AAAAAA, contents that alternate never settle",
    "A-B-CC, AAAAAC, a model is replaced twice",
    "AA?AAA, AAAAAA, a directory cannot be read once",
    "AA?BBB, AAAABB, a change while the directory cannot be read",
    "A?????, AAAAAA, a directory cannot be read for long",
    "A-?---, AAAA--, polls before and after a failure are not consecutive",
    "B?B???, BBBBBB, a failure after another one",
    "?AAA--, --AAA-, a model cannot be read at the start",
    "?-----, ------, a model cannot be read at the start and disappears",
  })
  void contentsSettleOnceTwoConsecutivePollsHaveSeenThem(
      String seen, String settled, String description) {
    var contents = new SettledContents(repository(seen.charAt(0)));
    var actual = new StringBuilder().append(letter(contents));
    for (char poll : seen.substring(1).toCharArray()) {
      contents.observe(repository(poll));
      actual.append(letter(contents));
    }

    assertThat(actual).as(description).hasToString(settled);
  }

  @Test
  void modelsSettleIndependently() {
    var start = new RepositoryContents(new TreeMap<>(Map.of("still", of('A'))), new TreeMap<>());
    var contents = new SettledContents(start);

    for (char copied : "BCD".toCharArray()) {
      var models = new TreeMap<>(Map.of("still", of('A'), "copied", of(copied), "new", of('N')));
      contents.observe(new RepositoryContents(models, new TreeMap<>()));
    }

    assertThat(contents.models())
        .containsOnly(Map.entry("still", of('A')), Map.entry("new", of('N')));
  }

  private static RepositoryContents repository(char seen) {
    var models = new TreeMap<String, DirectoryContents>();
    var unreadable = new TreeMap<String, InferenceException>();
    switch (seen) {
      case '-' -> {}
      case '?' -> unreadable.put("m", InferenceException.internal("cannot be read"));
      default -> models.put("m", of(seen));
    }
    return new RepositoryContents(models, unreadable);
  }

  private static DirectoryContents of(char letter) {
    return new DirectoryContents(
        new TreeMap<>(Map.of("1/model.onnx", new FileState(1, String.valueOf(letter)))));
  }

  private static char letter(SettledContents contents) {
    DirectoryContents model = contents.models().get("m");
    return model == null ? '-' : model.files().values().iterator().next().tag().charAt(0);
  }
}
