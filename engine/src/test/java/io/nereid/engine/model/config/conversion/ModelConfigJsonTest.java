package io.nereid.engine.model.config.conversion;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.config.ModelConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class ModelConfigJsonTest {
  @ParameterizedTest
  @ValueSource(strings = {"full", "sequence", "oldest", "ensemble"})
  void writesTheGoldenFile(String name) throws IOException {
    assertThat(ModelConfigJsonWriter.write(config(name)))
        .isEqualTo(resource(name + ".json").strip());
  }

  @ParameterizedTest
  @ValueSource(strings = {"full", "sequence", "oldest", "ensemble"})
  void protobufsParserReadsWhatItWrites(String name) throws IOException {
    ModelConfig config = config(name);
    String json = ModelConfigJsonWriter.write(config);

    var parsed = ModelConfig.newBuilder();
    JsonFormat.parser().merge(json, parsed);

    assertThat(parsed.build()).isEqualTo(config);
    assertThat(ModelConfigJsonReader.read(json)).isEqualTo(config);
  }

  @ParameterizedTest
  @ValueSource(strings = {"full", "sequence", "oldest", "ensemble"})
  void readsWhatProtobufsPrinterWrites(String name) throws IOException {
    ModelConfig config = config(name);

    assertThat(ModelConfigJsonReader.read(JsonFormat.printer().print(config))).isEqualTo(config);
  }

  @Test
  void aNumberOfManyDigitsIsRejectedAtOnce() {
    String json = "{\"max_batch_size\": \"%sx\"}".formatted("1".repeat(200_000));

    assertTimeoutPreemptively(
        Duration.ofSeconds(20), // minutes if each digit is looked at for each other one
        () ->
            assertThatThrownBy(() -> ModelConfigJsonReader.read(json))
                .isInstanceOf(InferenceException.class));
  }

  @Test
  void readsEnumNamesInAnyLetterCaseAndLongIntegersAsStringOrNumber() throws IOException {
    var config =
        ModelConfigJsonReader.read(
            """
            {"input": [{"data_type": "type_fp32", "format": "Format_Nhwc", "dims": ["3", -1]}],
             "model_warmup": [{"inputs": {"x": {"data_type": "Type_Bool"}}}],
             "maxBatchSize": 4}
            """);

    assertThat(config)
        .isEqualTo(
            TextFormat.parse(
                "input { data_type: TYPE_FP32 format: FORMAT_NHWC dims: [3, -1] }"
                    + " model_warmup { inputs { key: 'x' value { data_type: TYPE_BOOL } } }"
                    + " max_batch_size: 4",
                ModelConfig.class));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{max_batch_size: 8}                      | max_batch_size: 8",
        "{'name': 'a\"b', \"platform\": \"it's\"} | name: 'a\"b' platform: \"it's\"",
        "{'name': '\\'\\\"\\u0041\\ud83d\\ude00\\n\\/'} | name: '\\'\"A\\360\\237\\230\\200\\n/'",
        "{\"name\": \"a\tb\"}                      | name: 'a\\tb'",
        "{\"max_batch_size\": 8, }                | max_batch_size: 8",
        "{\"max_batch_size\": 4, \"maxBatchSize\": 8} | max_batch_size: 8",
        "{\"max_batch_size\": 4, \"max_batch_size\": 0} | ``",
        "{\"max_batch_size\": \"+08\"}             | max_batch_size: 8",
        "{\"max_batch_size\": 8.0}                | max_batch_size: 8",
        "{\"max_batch_size\": 1e1}                | max_batch_size: 10",
        "{\"max_batch_size\": null}               | ``",
        "{\"instance_group\": [{\"kind\": 2},]}    | instance_group { kind: KIND_CPU }",
        "{\"instance_group\": [{\"kind\": \"2\"}]}  | instance_group { kind: KIND_CPU }",
        "{\"instance_group\": {\"count\": 2}}      | instance_group { count: 2 }",
        "{\"instance_group\": [[{}], []], \"instanceGroup\": {}}"
            + "                                   | instance_group {} instance_group {}",
        "{\"optimization\": {\"priority\": 1}, \"optimization\": {\"eager_batching\": \"yes\"}}"
            + "                          | optimization { priority: PRIORITY_MAX eager_batching: true }",
        "{\"version_policy\": {\"latest\": {}}, \"version_policy\": {\"all\": {}}}"
            + "                                   | version_policy { all {} }",
        "{\"dynamic_batching\": null, \"dynamic_batching\": {}} | dynamic_batching {}",
        "{\"metric_tags\": {a: \"b\", c: null}}"
            + "  | metric_tags { key: 'a' value: 'b' } metric_tags { key: 'c' value: '' }",
        "{\"metric_tags\": {a: \"b\"}, \"metric_tags\": {a: \"c\"}}"
            + "                                   | metric_tags { key: 'a' value: 'c' }",
      })
  void readsTheLegacySyntaxOfProtobuf(String json, String config) throws IOException {
    assertThat(ModelConfigJsonReader.read(json))
        .isEqualTo(TextFormat.parse(config, ModelConfig.class));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"nmae\": \"x\"}                      | nmae",
        "{\"input\": [{\"data_type\": \"TYPE_FP31\"}]} | TYPE_FP31",
        "{\"max_batch_size\": 1.5}              | 1.5",
        "{\"max_batch_size\": 4294967296}       | 4294967296",
        "{\"max_batch_size\": 1e999999999}      | 1e999999999",
        "{\"dynamic_batching\": {\"priority_levels\": 1e999999999}} | 1e999999999",
        "{\"dynamic_batching\": {\"priority_levels\": \"1e999999999\"}} | 1e999999999",
        "{\"max_batch_size\": 08}               | found '8' at line 1 column 21",
        "{\"max_batch_size\": true}             | max_batch_size",
        "{\"max_batch_size\": \" 8\"}             | max_batch_size",
        "{\"max_batch_size\": 0x8}              | JSON",
        "{\"dynamic_batching\": {\"max_queue_delay_microseconds\": -1}} | -1",
        "{\"dynamic_batching\": {\"preserve_ordering\": 1}}   | preserve_ordering",
        "{\"dynamic_batching\": {\"preferred_batch_size\": [null]}} | preferred_batch_size",
        "{\"dynamic_batching\": {}, \"sequence_batching\": {}} | scheduling_choice",
        "{\"dynamic_batching\": {}, \"dynamic_batching\": {}} | scheduling_choice",
        "{\"metric_tags\": {\"a\": \"b\", \"a\": \"c\"}} | 'a' twice",
        "{\"metric_tags\": []}                  | JSON",
        "{\"backend\": 5}                       | backend",
        "{\"backend\": true}                    | backend",
        "{\"backend\": \"\\ude00\"}              | JSON",
        "{\"backend\": \"\\u00g0\"}              | JSON",
        "{\"backend\": \"x                     | JSON",
        "{\"backend\": \"\\x\"}                  | found 'x' at line 1 column 15",
        "{\"backend\": \"\\                     | found the end",
        "{\"instance_group\": [{\"kind\": KIND_CPU}]} | kind",
        "{\"instance_group\": [{},,]}           | JSON",
        "{\"instance_group\": [{} {}]}          | JSON",
        "{,}                                    | JSON",
        "{8: 1}                                 | JSON",
        "{null: 1}                              | JSON",
        "{/* c */}                              | JSON",
        "{} {}                                  | line 1 column 4",
        "{name = \"x\"}                         | line 1 column 7",
        "[]                                     | JSON",
        "3                                      | JSON",
        "null                                   | JSON",
        "``                                     | JSON",
        "{                                      | JSON",
      })
  void rejectsWhatIsNotAConfiguration(String json, String message) {
    assertThatThrownBy(() -> ModelConfigJsonReader.read(json))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(message)
        .extracting(thrown -> ((InferenceException) thrown).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void rejectsJsonThatIsNestedTooDeeply() {
    assertThatThrownBy(() -> ModelConfigJsonReader.read("{\"input\":" + "[".repeat(250_000)))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("nested");
  }

  @Test
  void writesTheNumberOfAnEnumValueThatHasNoName() {
    var config = ModelConfig.newBuilder();
    config.addInputBuilder().setDataTypeValue(99);

    assertThat(ModelConfigJsonWriter.write(config.build())).contains("\"data_type\":99,");
  }

  private static ModelConfig config(String name) throws IOException {
    return TextFormat.parse(resource(name + ".pbtxt"), ModelConfig.class);
  }

  public static String resource(String name) throws IOException {
    try (var stream = requireNonNull(ModelConfigJsonTest.class.getResourceAsStream(name), name)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
