package io.nereid.server.model.config.conversion;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.protobuf.ModelConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
        "{\"nmae\": \"x\"}                      | nmae",
        "{\"input\": [{\"data_type\": \"TYPE_FP31\"}]} | TYPE_FP31",
        "{\"max_batch_size\": 1.5}              | 1.5",
        "{\"max_batch_size\": 4294967296}       | 4294967296",
        "{\"max_batch_size\": 1e999999999}      | 1e999999999",
        "{\"dynamic_batching\": {\"priority_levels\": 1e999999999}} | 1e999999999",
        "{\"dynamic_batching\": {\"priority_levels\": \"1e999999999\"}} | 1e999999999",
        "{} {}                                  | malformed JSON at line 1 column 5",
        "{name: \"x\"}                          | malformed JSON at line 1 column 3",
        "[]                                     | JSON",
        "3                                      | JSON",
        "null                                   | JSON",
        "``                                     | JSON",
        "{\"input\": {\"name\": \"x\"}}         | array",
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
        .isInstanceOf(InferenceException.class);
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
