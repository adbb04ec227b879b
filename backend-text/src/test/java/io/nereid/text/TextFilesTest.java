package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import io.nereid.text.folder.Task;
import io.nereid.text.folder.TextFolder;
import io.nereid.text.folder.TextSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What files and parameters say, and the sentence for each mistake. */
class TextFilesTest {
  private static final String CONFIG =
      """
      {"architectures": ["BertModel"], "hidden_size": 8, "max_position_embeddings": 32}
      """;

  @TempDir Path repository;
  private Path folder;

  @BeforeEach
  void makeFolder() throws IOException {
    folder = repository.resolve("m").resolve("1");
    write("config.json", CONFIG);
    write("tokenizer.json", "{}");
    write("model.onnx", "");
  }

  private void write(String name, String content) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private TextSettings settings(Map<String, String> parameters) {
    ModelConfig config = ModelConfig.of("m", "text").toBuilder().parameters(parameters).build();
    return TextFolder.of(new ModelFiles(repository.resolve("m"), 1), config).settings();
  }

  private TextSettings settings() {
    return settings(Map.of());
  }

  private void refused(String message) {
    refused(Map.of(), message);
  }

  private void refused(Map<String, String> parameters, String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> settings(parameters))
        .withMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource({
    "BertModel, 5, EMBEDDING",
    "BertForMaskedLM, 5, EMBEDDING",
    "Qwen3ForCausalLM, 5, EMBEDDING",
    "XLMRobertaForSequenceClassification, 1, RERANK",
    "XLMRobertaForSequenceClassification, 2, CLASSIFY",
  })
  void theArchitectureSaysTheTask(String architecture, int labels, Task task) throws IOException {
    write(
        "config.json",
        """
        {"architectures": ["%s"], "hidden_size": 8, "max_position_embeddings": 32, "num_labels": %d}
        """
            .formatted(architecture, labels));

    assertThat(settings().task()).isEqualTo(task);
    assertThat(settings(Map.of("task", "embedding")).task()).isEqualTo(Task.EMBEDDING);
  }

  @Test
  void anArchitectureThatIsNotServedIsRefused() throws IOException {
    write(
        "config.json",
        "{\"architectures\": [\"BertForTokenClassification\"], \"max_position_embeddings\": 32}");

    refused("has the architecture 'BertForTokenClassification', which is not served");
    refused(
        Map.of("task", "entities"),
        "parameter 'task' must be one of embedding, rerank, classify, got 'entities'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"max_seq_length\": 16} | {\"model_max_length\": 8} | 16",
        "{} | {\"model_max_length\": 8} | 8",
        "{} | {\"model_max_length\": 1000000000000000019884624838656} | 32",
        "{\"max_seq_length\": 33} | {} | 32",
      })
  void theFilesSayHowManyTokensTheModelTakes(String sentence, String tokenizer, int tokens)
      throws IOException {
    write("sentence_bert_config.json", sentence);
    write("tokenizer_config.json", tokenizer);

    assertThat(settings().texts().maxTokens()).isEqualTo(tokens);
    assertThat(settings(Map.of("max_length", "32")).texts().maxTokens()).isEqualTo(32);
    refused(
        Map.of("max_length", "33"), "parameter 'max_length' is 33, and the model has 32 positions");
    refused(
        Map.of("max_length", "0"),
        "parameter 'max_length' must be a whole number from 1 on, got '0'");
  }

  @Test
  void positionsOfRobertaBeginBehindThePaddingToken() throws IOException {
    write(
        "config.json",
        """
        {"architectures": ["XLMRobertaModel"], "model_type": "xlm-roberta", "hidden_size": 8,
         "max_position_embeddings": 514, "pad_token_id": 1}
        """);

    assertThat(settings().texts().maxTokens()).isEqualTo(512);
  }

  @Test
  void poolingIsReadInBothForms() throws IOException {
    assertThat(settings().pooling()).isEmpty();
    write(
        "1_Pooling/config.json",
        "{\"pooling_mode_cls_token\": true, \"pooling_mode_mean_tokens\": false}");
    assertThat(settings().pooling().orElseThrow().label()).isEqualTo("cls");
    write("1_Pooling/config.json", "{\"pooling_mode\": \"mean\"}");
    assertThat(settings().pooling().orElseThrow().label()).isEqualTo("mean");
    assertThat(settings(Map.of("pooling", "last-token")).pooling().orElseThrow().label())
        .isEqualTo("last-token");
    write(
        "1_Pooling/config.json",
        "{\"pooling_mode_max_tokens\": true, \"pooling_mode_cls_token\": true}");
    refused("says the pooling [max_tokens, cls_token]; one of cls, mean and lasttoken is served");
    write("1_Pooling/config.json", "{\"pooling_mode\": \"mean\", \"include_prompt\": false}");
    refused("'include_prompt' is false");
  }

  @Test
  void modulesAreThoseThatAreServed() throws IOException {
    write(
        "modules.json",
        "[{\"path\": \"\", \"type\": \"sentence_transformers.models.Transformer\"}, {\"path\":"
            + " \"1_LSTM\", \"type\": \"sentence_transformers.models.LSTM\"}]");
    refused("has a module of type 'sentence_transformers.models.LSTM'");
    write(
        "modules.json",
        "[{\"path\": \"../../other\", \"type\": \"sentence_transformers.models.Transformer\"}]");
    refused("file '../../other' of model 'm' is outside model directory");
    write("modules.json", "{}");
    refused("is no JSON array");
    write("modules.json", "{a: 1}");
    refused("is no JSON: error at line 1 column ");
  }

  @Test
  void whatIsMissingIsNamed() throws IOException {
    write("config.json", "{\"architectures\": [\"BertModel\"], \"max_position_embeddings\": 32}");
    refused("has none of hidden_size, dim, d_model, n_embd, and no parameter 'dimension' is given");
    assertThat(settings(Map.of("dimension", "7")).width()).isEqualTo(7);
    write("config.json", "{\"architectures\": [\"BertModel\"], \"hidden_size\": 8}");
    refused("no file says how many tokens the model takes: parameter 'max_length' must");
    write("config.json", "{\"hidden_size\": 8}");
    refused("has no 'architectures', and no parameter 'task' is given");
    Files.delete(folder.resolve("config.json"));
    refused("unable to find '" + folder.resolve("config.json") + "'");
  }

  @Test
  void labelsAreOfIdsWithoutGaps() throws IOException {
    write(
        "config.json",
        """
        {"architectures": ["BertForSequenceClassification"], "max_position_embeddings": 32,
         "id2label": {"1": "b", "0": "a"}, "problem_type": "multi_label_classification"}
        """);
    assertThat(settings().labels()).containsExactly("a", "b");
    assertThat(settings().independent()).isTrue();
    assertThat(settings(Map.of("activation", "softmax")).independent()).isFalse();
    write(
        "config.json",
        """
        {"architectures": ["BertForSequenceClassification"], "max_position_embeddings": 32,
         "id2label": {"1": "b", "2": "a"}}
        """);
    refused("'id2label' must be of the ids from 0 to 1, got [1, 2]");
  }

  @Test
  void promptsAndTheirDefaultAreStrings() throws IOException {
    write(
        "config_sentence_transformers.json",
        "{\"prompts\": {\"q\": \"query: \"}, \"default_prompt_name\": null}");
    assertThat(settings().texts().prompts().byDefault()).isEmpty();
    assertThat(settings(Map.of("prompt_name", "q")).texts().prompts().byDefault())
        .isEqualTo("query: ");
    refused(Map.of("prompt_name", "p"), "there is no prompt 'p', expected one of [q]");
    refused(
        Map.of("prompts", "[]"),
        "parameter 'prompts' must be an object of JSON with strings, got '[]'");
    write("config_sentence_transformers.json", "{\"prompts\": {\"q\": 1}}");
    refused("'q' must be a string, got 1");
  }

  @Test
  void textsThatWouldBeCutOnTheLeftAreRefused() throws IOException {
    write("tokenizer_config.json", "{\"truncation_side\": \"left\"}");

    refused("'tokenizer_config.json' says the 'truncation_side' left");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "7",
        "{\"architectures\": 3, \"hidden_size\": 8, \"max_position_embeddings\": 32}",
        "{\"architectures\": [1]}",
        "{\"architectures\": [\"BertModel\"], \"hidden_size\": 1e999}",
        "{\"architectures\": [\"BertModel\"], \"hidden_size\": -1}",
        "{\"architectures\": [\"BertModel\"], \"hidden_size\": 1.5}",
        "{\"architectures\": [\"BertModel\"], \"hidden_size\": \"8\"}",
        "{\"architectures\": [\"BertModel\"], \"hidden_size\": 8, \"max_position_embeddings\": {}}",
        "{\"architectures\": [\"BertModel\"], \"hidden_size\": 8, 'max_position_embeddings': 3}",
        "{\"architectures\": [\"BertModel\"]} {}",
        "{\"architectures\": [\"XForSequenceClassification\"], \"num_labels\": 9999999999}",
        "{\"architectures\": [\"XForSequenceClassification\"], \"num_labels\": 99999999}",
        "{\"architectures\": [\"XForSequenceClassification\"], \"id2label\": {}}",
        "\u0000",
      })
  void aConfigurationThatIsNoneIsRefusedWithASentence(String content) throws IOException {
    write("config.json", content);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(this::settings)
        .satisfies(refused -> assertThat(refused.getMessage()).isNotBlank());
  }

  @Test
  void deepNestingIsRefused() throws IOException {
    write("config.json", "{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}");

    refused("is no JSON");
  }

  @Test
  void changedFilesAreReadOrRefused() throws IOException {
    String all =
        """
        {"architectures": ["BertForSequenceClassification"], "hidden_size": 8, "model_type": "roberta",
         "max_position_embeddings": 32, "pad_token_id": 1, "id2label": {"0": "a", "1": "b"},
         "problem_type": "single_label_classification"}
        """;
    var random = new Random(5);
    for (int i = 0; i < 300; i++) {
      byte[] bytes = all.getBytes(java.nio.charset.StandardCharsets.UTF_8);
      for (int k = 0; k <= random.nextInt(3); k++) {
        bytes[random.nextInt(bytes.length)] =
            (byte) "{}[]\",:09e-.antfx\u007f".charAt(random.nextInt(17));
      }
      Files.write(folder.resolve("config.json"), bytes);
      try {
        assertThat(settings().texts().maxTokens()).isPositive();
      } catch (InferenceException refused) {
        assertThat(refused.getMessage()).isNotBlank();
      }
    }
  }
}
