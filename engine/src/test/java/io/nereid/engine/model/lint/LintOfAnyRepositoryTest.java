package io.nereid.engine.model.lint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.model.lint.Finding.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lint of repositories that random damage has made of good ones: findings, never an exception. */
class LintOfAnyRepositoryTest {
  private static final int ROUNDS = Integer.getInteger("nereid.mutations", 60);

  private static final String ENSEMBLE =
      """
      platform: "ensemble"
      max_batch_size: 8
      input { name: "x" data_type: TYPE_FP32 dims: [ 4 ] }
      output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
      ensemble_scheduling {
        step [
          {
            model_name: "plain" model_version: -1
            input_map { key: "a" value: "x" }
            output_map { key: "b" value: "t" }
          },
          {
            model_name: "plain"
            input_map { key: "a" value: "t" }
            output_map { key: "b" value: "y" }
          }
        ]
      }
      """;

  private static final String SEQUENCE =
      """
      backend: "custom"
      max_batch_size: 8
      input [ { name: "x" data_type: TYPE_FP32 dims: [ -1, 4 ] allow_ragged_batch: true } ]
      output [ { name: "y" data_type: TYPE_STRING dims: [ 1 ] reshape: { shape: [] } } ]
      sequence_batching {
        max_sequence_idle_microseconds: 5000000
        control_input [
          { name: "START" control [ { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 1 ] } ] },
          { name: "ID" control [ { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } ] }
        ]
        state [
          {
            input_name: "i" output_name: "o" data_type: TYPE_INT32 dims: [ 2 ]
            initial_state { data_type: TYPE_INT32 dims: [ 2 ] zero_data: true name: "zero" }
          }
        ]
        oldest { max_candidate_sequences: 4 preferred_batch_size: [ 4 ] }
      }
      batch_input {
        kind: BATCH_ELEMENT_COUNT target_name: "n" data_type: TYPE_FP32 source_input: "x"
      }
      version_policy: { specific { versions: [ 1 ] } }
      instance_group [ { count: 2 kind: KIND_CPU rate_limiter { resources { name: "r" count: 1 } } } ]
      parameters { key: "threads" value: { string_value: "2" } }
      model_warmup {
        name: "w" batch_size: 1
        inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 1, 4 ] zero_data: true } }
      }
      """;

  private static final List<String> GOOD = List.of(ENSEMBLE, SEQUENCE);

  @TempDir private Path repository;

  private LintReport lint(byte[] config) throws IOException {
    ModelOnDisk.of(
        repository,
        "plain",
        """
        backend: "custom" max_batch_size: 8
        input { name: "a" data_type: TYPE_FP32 dims: 4 }
        output { name: "b" data_type: TYPE_FP32 dims: 4 }
        """);
    ModelOnDisk model = ModelOnDisk.named(repository, "m").withDirectory("1");
    Files.write(model.path().resolve("config.pbtxt"), config);
    return RepositoryLint.run(
        new LintSettings(Optional.empty(), ConfigSettings.DEFAULT, Optional.empty()),
        List.of(repository));
  }

  @ParameterizedTest
  @FieldSource("GOOD")
  void findsNothingWrongWithAGoodModel(String config) throws IOException {
    assertThat(lint(config.getBytes(UTF_8)).findings()).isEmpty();
  }

  @ParameterizedTest
  @FieldSource("GOOD")
  void reportsFindingsWhereverATextEnds(String config) throws IOException {
    byte[] whole = config.getBytes(UTF_8);
    for (int length = 0; length < whole.length; length += 5) {
      requirePlaces(lint(Arrays.copyOf(whole, length)));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void reportsFindingsWhateverBytesAreChanged(int seed) throws IOException {
    var random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = GOOD.get(random.nextInt(GOOD.size())).getBytes(UTF_8);
      for (int i = random.nextInt(4); i >= 0; i--) {
        int at = random.nextInt(bytes.length);
        bytes[at] =
            switch (random.nextInt(3)) {
              case 0 -> (byte) random.nextInt(256);
              case 1 -> (byte) "{}[]:,\"-019".charAt(random.nextInt(11));
              default -> (byte) (bytes[at] ^ 1 << random.nextInt(7));
            };
      }
      try {
        requirePlaces(lint(bytes));
      } catch (RuntimeException bug) {
        throw new AssertionError(
            "seed %d, round %d:%n%s".formatted(seed, round, new String(bytes, UTF_8)), bug);
      }
    }
  }

  /** Each error of the changed file has a line and a column. */
  private static void requirePlaces(LintReport report) {
    for (Finding finding : report.findings()) {
      assertThat(finding.message()).isNotBlank();
      if (finding.file().endsWith("config.pbtxt") && finding.severity() == Severity.ERROR) {
        assertThat(finding.position()).isPresent();
      }
    }
  }

  @ParameterizedTest
  @Timeout(60)
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``|x|10485760",
        "\"|x|10485760",
        "backend: 'b' input { name: 'x' dims: [|0,|262144",
        "``|[{<|262144",
        "``|input {|262144"
      })
  void readsALargeFileOnce(String beginning, String piece, int count) throws IOException {
    assertThat(lint((beginning + piece.repeat(count)).getBytes(UTF_8)).errors()).isPositive();
  }
}
