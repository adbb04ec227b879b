package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.Engine;
import io.nereid.error.InferenceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loads of text models: what fails has a sentence, and what loads leaves nothing. */
@Timeout(120)
class TextLoadTest {
  @TempDir Path repository;

  private static Engine engine(Path repository) throws IOException {
    return Engine.builder().repository(repository).startWith().open();
  }

  private void refused(String model, String message) throws IOException {
    try (Engine engine = engine(repository)) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> engine.load(model))
          .withMessageContaining(message);
    }
  }

  private Path config(String model, String text) throws IOException {
    Path folder = ServedTexts.copy(model, repository);
    Files.writeString(repository.resolve(model).resolve("config.pbtxt"), text);
    return folder;
  }

  private static String parameter(String key, String value) {
    return "parameters { key: \"%s\" value { string_value: \"%s\" } }\n".formatted(key, value);
  }

  @Test
  void twoEnginesOfAProcessShareTheTokenizersLibrary() throws IOException {
    ServedTexts.copy("mean", repository);
    try (ServedTexts one = ServedTexts.open(repository);
        ServedTexts other = ServedTexts.open(repository)) {
      assertThat(one.embed("mean", "the sea").getFirst())
          .isEqualTo(other.embed("mean", "the sea").getFirst());
    }
    try (ServedTexts again = ServedTexts.open(repository)) {
      assertThat(again.embed("mean", "the sea")).hasSize(1);
    }
  }

  @Test
  void aModelIsLoadedAgainWhileItServes() throws IOException {
    config("last", "backend: \"text\"\nmax_batch_size: 3\n");
    try (ServedTexts served = ServedTexts.open(repository)) {
      float[] before = served.embed("last", "the sea").getFirst();
      config("last", "backend: \"text\"\nmax_batch_size: 5\n" + parameter("pooling", "cls"));

      served.engine().load("last");

      assertThat(served.engine().configuration("last").maxBatchSize()).isEqualTo(5);
      assertThat(served.embed("last", "the sea").getFirst()).isNotEqualTo(before);
    }
  }

  @Test
  void parametersOfTheGraphAreItsBackends() throws IOException {
    config("mean", "backend: \"text\"\n" + parameter("intra_op_thread_count", "many"));

    refused("mean", "parameter 'intra_op_thread_count' must be an integer, got 'many'");
  }

  @Test
  void aQuantisedGraphRunsOneTextAtATimeUnlessTheConfigurationSaysOtherwise() throws IOException {
    ServedTexts.copy("quantised", repository);
    try (ServedTexts served = ServedTexts.open(repository)) {
      assertThat(served.engine().index().getFirst().reason())
          .contains("its graph runs one text at a time");
      assertThat(served.embed("quantised", "the sea", "old harbour light", "ship").getFirst())
          .isEqualTo(served.embed("quantised", "the sea").getFirst());
    }
    config("quantised", "backend: \"text\"\n" + parameter("one_text_per_run", "false"));
    try (ServedTexts served = ServedTexts.open(repository)) {
      assertThat(served.engine().index().getFirst().reason()).isEmpty();
      assertThat(served.embed("quantised", "the sea", "old harbour light", "ship").getFirst())
          .isNotEqualTo(served.embed("quantised", "the sea").getFirst());
    }
  }

  @Test
  void aGraphOfAnotherWidthOrWithoutPoolingIsRefused() throws IOException {
    config("mean", "backend: \"text\"\n" + parameter("dimension", "9"));
    refused(
        "mean",
        "model 'mean': output 'last_hidden_state' of the graph has the width 8, where 9 is"
            + " expected");
    Path folder = config("last", "backend: \"text\"\n");
    Files.delete(folder.resolve("1_Pooling/config.json"));
    refused("last", "parameter 'pooling' must be cls, mean or last-token");
    config(
        "rerank",
        "backend: \"text\"\n" + parameter("task", "embedding") + parameter("dimension", "1"));
    refused("rerank", "says how vectors of tokens become one");
  }

  @Test
  void tensorsAreThoseOfTheTask() throws IOException {
    config(
        "mean",
        """
        backend: "text"
        input { name: "text" data_type: TYPE_STRING dims: [ 1 ] }
        """);

    refused("mean", "unexpected inference input 'text', the task 'embedding' has [TEXT]");
  }

  @Test
  void aLayerBehindThePoolingIsApplied() throws IOException {
    Path folder = ServedTexts.copy("mean", repository);
    Files.writeString(
        folder.resolve("modules.json"),
        """
        [{"path": "", "type": "sentence_transformers.models.Transformer"},
         {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
         {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]
        """);
    Files.createDirectories(folder.resolve("2_Dense"));
    Files.writeString(
        folder.resolve("2_Dense/config.json"),
        """
        {"in_features": 8, "out_features": 2, "bias": false,
         "activation_function": "torch.nn.modules.linear.Identity"}
        """);
    float[] weight = new float[16];
    weight[3] = 2; // the first output is twice the fourth input
    weight[8 + 5] = 1;
    Files.write(folder.resolve("2_Dense/model.safetensors"), safetensors(weight));

    try (ServedTexts served = ServedTexts.open(repository);
        ServedTexts plain = ServedTexts.open(ServedTexts.MODELS)) {
      float[] all = plain.embed("mean", "the sea").getFirst();
      float[] two = served.embed("mean", "the sea").getFirst();
      assertThat(two).hasSize(2);
      assertThat(two[0] / two[1])
          .isEqualTo(2 * all[3] / all[5], org.assertj.core.api.Assertions.within(1e-4f));
    }
    Files.writeString(folder.resolve("2_Dense/model.safetensors"), "short");
    refused("mean", "its header is cut off");
    Files.delete(folder.resolve("2_Dense/model.safetensors"));
    refused("mean", "cannot read");
  }

  private static byte[] safetensors(float[] weight) {
    byte[] header =
        "{\"linear.weight\":{\"dtype\":\"F32\",\"shape\":[2,8],\"data_offsets\":[0,64]}}"
            .getBytes(StandardCharsets.UTF_8);
    var bytes =
        java.nio.ByteBuffer.allocate(8 + header.length + 64)
            .order(java.nio.ByteOrder.LITTLE_ENDIAN)
            .putLong(header.length)
            .put(header);
    for (float each : weight) {
      bytes.putFloat(each);
    }
    return bytes.array();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | is no JSON",
        "{ | is no JSON",
        "[] | it is no JSON object",
        "{} | Model missing",
        "{\"model\": 3} | cannot be used",
        "{\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"a\": -1}}} | cannot be used",
        "{\"model\": {\"type\": \"BPE\", \"vocab\": {}, \"merges\": [],"
            + " \"continuing_subword_prefix\": \"##\"}} | 'continuing_subword_prefix', which is not"
            + " supported",
        "{\"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"x\"}} |"
            + " 'precompiled_charsmap' is not in Base64",
        "{\"normalizer\": {\"type\": \"Sequence\", \"normalizers\": [{\"type\": \"Precompiled\","
            + " \"precompiled_charsmap\": \"////fw==\"}]}} | says that 2147483647 are its trie",
        "{\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [{\"SpecialToken\":"
            + " {\"id\": \"[X]\", \"type_id\": 0}}], \"pair\": [], \"special_tokens\": {}}} | the"
            + " special token '[X]', which its 'special_tokens' do not define",
      })
  void aTokenizerThatIsNoneIsRefusedWithASentence(String content, String message)
      throws IOException {
    Path folder = ServedTexts.copy("mean", repository);
    Files.writeString(folder.resolve("tokenizer.json"), content);

    refused("mean", message);
  }

  @Test
  void changedTokenizersAreReadOrRefused() throws IOException {
    Path folder = ServedTexts.copy("mean", repository);
    String whole = Files.readString(folder.resolve("tokenizer.json"));
    var random = new Random(3);
    List<String> values =
        List.of("null", "true", "-1", "4294967296", "1e308", "\"\"", "\"x\"", "[]", "{}", "[[]]");
    try (Engine engine = engine(repository)) {
      for (int i = 0; i < 60; i++) {
        int at = whole.indexOf(": ", random.nextInt(whole.length() - 60)) + 2;
        int end = whole.indexOf('\n', at);
        String changed =
            whole.substring(0, at)
                + values.get(random.nextInt(values.size()))
                + (whole.charAt(end - 1) == ',' ? "," : "")
                + whole.substring(end);
        Files.writeString(folder.resolve("tokenizer.json"), changed);
        try {
          engine.load("mean");
        } catch (InferenceException refused) {
          assertThat(refused.getMessage()).contains("mean");
        }
      }
      Files.writeString(folder.resolve("tokenizer.json"), whole);
      engine.load("mean");
      assertThat(engine.isReady("mean")).isTrue();
    }
  }
}
