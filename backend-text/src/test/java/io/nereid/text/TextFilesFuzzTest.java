package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import io.nereid.text.folder.TextFolder;
import io.nereid.text.tokenizer.TextBytes;
import io.nereid.text.tokenizer.TextTokenizer;
import io.nereid.text.tokenizer.TokenizerLibrary;
import io.nereid.text.vector.DenseLayer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Any content of the files of a folder: it is read, or refused with a sentence. */
class TextFilesFuzzTest {
  private static final List<String> FILES =
      List.of(
          "config.json",
          "tokenizer_config.json",
          "sentence_bert_config.json",
          "config_sentence_transformers.json",
          "modules.json",
          "1_Pooling/config.json",
          "2_Dense/config.json");

  private static final int MAX_TOKENS = 16;

  @TempDir Path repository;
  private Path folder;

  @BeforeEach
  void makeFolder() throws IOException {
    folder = repository.resolve("m").resolve("1");
    write(
        "config.json",
        "{\"architectures\": [\"BertModel\"], \"hidden_size\": 8, \"max_position_embeddings\": 32}");
    write("tokenizer.json", "{}");
    write("model.onnx", "");
    write("1_Pooling/config.json", "{\"pooling_mode_mean_tokens\": true}");
    write("2_Dense/config.json", "{\"in_features\": 2, \"out_features\": 2, \"bias\": true}");
  }

  private void write(String name, String content) throws IOException {
    write(name, content.getBytes(StandardCharsets.UTF_8));
  }

  private void write(String name, byte[] content) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, content);
  }

  private interface Reading {
    void run() throws IOException;
  }

  private static void readOrRefused(Reading reading) throws IOException {
    try {
      reading.run();
    } catch (InferenceException refused) {
      assertThat(refused.getMessage()).isNotBlank().hasSizeLessThan(10_000);
    }
  }

  /** The first byte is the number of the file. */
  @FuzzTest
  void aFolderIsReadOrRefused(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    String name = FILES.get((input[0] & 0xff) % FILES.size());
    write(name, Arrays.copyOfRange(input, 1, input.length));
    readOrRefused(() -> {
      TextFolder read =
          TextFolder.of(new ModelFiles(repository.resolve("m"), 1), ModelConfig.of("m", "text"));
      assertThat(read.settings().texts().maxTokens()).isPositive();
      read.dense().forEach(DenseLayer::read);
    });
  }

  @FuzzTest
  void aLayerIsReadOrRefused(byte[] input) throws IOException {
    write("2_Dense/model.safetensors", input);
    readOrRefused(() ->
        assertThat(DenseLayer.read(folder.resolve("2_Dense")).apply(new float[2])).hasSize(2));
  }

  /** By the library, whose panics end the process. */
  @FuzzTest
  void aTokenizerIsReadOrRefused(byte[] input) throws IOException {
    write("tokenizer.json", input);
    var library = TokenizerLibrary.open(Optional.empty(), Optional.empty());
    readOrRefused(() -> {
      try (var tokenizer =
          TextTokenizer.open(library, folder.resolve("tokenizer.json"), MAX_TOKENS)) {
        for (String each : List.of("", "hello world ", "he\u0301llo \u0000 \ud83d\ude00 \u4e2d")) {
          byte[] bytes = each.repeat(8).getBytes(StandardCharsets.UTF_8);
          var text = new TextBytes("", MemorySegment.ofArray(bytes));
          for (Optional<TextBytes> pair : List.of(Optional.<TextBytes>empty(), Optional.of(text))) {
            assertThat(tokenizer.encode(text, pair, true).length()).isBetween(0, MAX_TOKENS);
          }
        }
      }
    });
  }
}
