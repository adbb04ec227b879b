package io.nereid.server.tools;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.NereidCommand;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command {@code verify}, of a folder. */
@Timeout(120)
class VerifyCommandTest {
  @TempDir private Path folder;
  private Path model = Path.of("");
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void write() throws IOException {
    model = ColumnModel.in(folder);
    Files.writeString(folder.resolve("rows.csv"), "age,city\n1,a\n2,b\nNA,c\n");
  }

  private int verify(String expected, String... options) throws IOException {
    Files.writeString(folder.resolve("expected.csv"), expected.replace(';', '\n'));
    List<String> words = new ArrayList<>(List.of("verify", model.toString()));
    words.addAll(ColumnModel.ALLOWED);
    words.addAll(
        List.of(
            "--inputs=" + folder.resolve("rows.csv"),
            "--expected=" + folder.resolve("expected.csv")));
    words.addAll(List.of(options));
    return NereidCommand.run(out, err, words.toArray(String[]::new));
  }

  @Test
  void theSameAnswersExitWithZero() throws IOException {
    assertThat(verify("greeting,next;\"Hello, a\",2;\"Hello, b\",3.0;\"Hello, c\","))
        .as(err.toString())
        .isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "next FP32: 3 rows, 0 differ; largest difference 0.00, relative 0.00",
            "greeting BYTES: 3 rows, 0 differ",
            "model 'columns': the same");
  }

  @Test
  void rowsThatDifferAreCountedAndShown() throws IOException {
    assertThat(verify("greeting,next;\"Hello, a\",2;Hi,3.5;\"Hello, c\",7")).isOne();
    assertThat(out.toString().lines())
        .containsExactly(
            "next FP32: 3 rows, 2 differ; largest difference 0.500, relative 0.143; 1 values are NaN on one side only",
            "  row 2, next: got 3.0, expected 3.5",
            "  row 3, next: got NaN, expected 7.0",
            "greeting BYTES: 3 rows, 1 differ",
            "  row 2, greeting: got Hello, b, expected Hi",
            "model 'columns': different");
  }

  @ParameterizedTest
  @CsvSource({
    "--rtol=0.1 --atol=0,     2.2, 0, 0.200",
    "--rtol=0.09 --atol=0,    2.2, 1, 0.200",
    "--rtol=0 --atol=0.25,   2.25, 0, 0.250",
    "--rtol=0 --atol=0.25, 2.2501, 1, 0.250",
    "--rtol=0 --atol=0,     2e0, 0, 0.00",
  })
  void toleranceIsAsOfNumPysAllclose(String options, String expected, int status, String largest)
      throws IOException {
    String[] words = (options + " --output=next").split(" ");

    assertThat(verify("anything;" + expected + ";3;\"\"", words))
        .as(out.toString())
        .isEqualTo(status);
    assertThat(out.toString()).contains("largest difference " + largest);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "next;2;3|--atol=0|rows.csv' has 3 rows, and ",
        "next,nothing;2,2;3,3;4,4|--atol=0|expected.csv' has a column 'nothing', which is none of next, greeting; --output <name> compares one of them, and then columns may have any names",
        "prediction;2;3;4|--atol=0|--output <name> compares one of them, and then columns may have any names",
        "next;2;x;3|--atol=0|expected.csv', column 'next', line 3: got 'x', expected a number (FP32)",
        "next;2;3;4|--output=last|model 'columns' has no output 'last'; it has [next, greeting]",
        "next;2;3;4|--batch=3|infer of model 'columns' at engine:in-process",
      })
  void whatCannotBeComparedExitsWithTwo(String expected, String option, String sentence)
      throws IOException {
    assertThat(verify(expected, option)).isEqualTo(2);
    assertThat(err.toString()).startsWith("nereid: ").contains(sentence).hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aVersionAndARepositoryAreRefusedWithWhatToGive() throws IOException {
    Path models = requireNonNull(model.getParent());
    model = model.resolve("1");
    assertThat(verify("next;2;3;4")).isEqualTo(2);
    model = models;
    assertThat(verify("next;2;3;4")).isEqualTo(2);

    assertThat(err.toString().lines())
        .containsExactly(
            "nereid: '%1$s/columns/1' is a version of a model: ask %1$s/columns --model-version 1"
                .formatted(models),
            "nereid: '%1$s' is a repository of models: ask one of them, such as %1$s/columns"
                .formatted(models));
  }

  @Test
  void whatInferWritesIsExpectedAgain() throws IOException {
    List<String> words = new ArrayList<>(List.of("infer", model.toString()));
    words.addAll(ColumnModel.ALLOWED);
    words.addAll(List.of("--csv=" + folder.resolve("rows.csv"), "--format=csv"));
    assertThat(NereidCommand.run(out, err, words.toArray(String[]::new))).isZero();
    String answers = out.toString();

    assertThat(verify(answers, "--rtol=0", "--atol=0")).as(err.toString()).isZero();
  }
}
