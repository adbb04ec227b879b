package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.text.tokenizer.TextBytes;
import io.nereid.text.tokenizer.TextTokenizer;
import io.nereid.text.tokenizer.TokenizerLibrary;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tokens and vectors of the models of {@code parity.py}, beside Python's: {@code make text}. */
@EnabledIfSystemProperty(named = "nereid.text.models", matches = ".+")
class ParityTest {
  private static final int BATCH = 32;

  private static Path models() {
    return Path.of(System.getProperty("nereid.text.models"));
  }

  static List<String> names() throws IOException {
    try (Stream<Path> folders = Files.list(models())) {
      return folders.map(folder -> folder.getFileName().toString()).sorted().toList();
    }
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Expected(String text, long[] ids, float[] vector) {
    static Expected of(String line) {
      JsonObject object = JsonParser.parseString(line).getAsJsonObject();
      JsonArray ids = object.getAsJsonArray("ids");
      byte[] bytes = Base64.getDecoder().decode(object.get("vector").getAsString());
      float[] vector = new float[bytes.length / Float.BYTES];
      ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(vector);
      return new Expected(
          object.get("text").getAsString(),
          ids.asList().stream().mapToLong(id -> id.getAsLong()).toArray(),
          vector);
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void tokensAndVectorsAreThoseOfPython(String model) throws IOException {
    List<Expected> all =
        Files.readAllLines(models().resolve(model).resolve("expected.json")).stream()
            .map(Expected::of)
            .toList();
    double worstAlone = 1;
    double worstInBatch = 1;
    int equalToPython = 0;
    try (ServedTexts served = ServedTexts.open(models(), model);
        TextTokenizer tokenizer =
            TextTokenizer.open(
                TokenizerLibrary.open(Optional.empty(), Optional.empty()),
                models().resolve(model).resolve("1/tokenizer.json"),
                Integer.parseInt(
                    served.engine().configuration(model).parameters().get("max_length")))) {
      for (int from = 0; from < all.size(); from += BATCH) {
        List<Expected> batch = all.subList(from, Math.min(all.size(), from + BATCH));
        String[] texts = batch.stream().map(Expected::text).toArray(String[]::new);
        ModelRequest request = ServedTexts.request(model, Map.of(), texts);
        try (ModelResponse response = served.engine().infer(request)) {
          List<float[]> together = ServedTexts.rows(response.floats("EMBEDDING"), texts.length);
          for (int i = 0; i < texts.length; i++) {
            byte[] bytes = texts[i].getBytes(StandardCharsets.UTF_8);
            var text = new TextBytes("", MemorySegment.ofArray(bytes));
            assertThat(tokenizer.encode(text, Optional.empty(), true).ids())
                .as("tokens of text %d", from + i)
                .isEqualTo(batch.get(i).ids());
            float[] alone = served.embed(model, texts[i]).getFirst();
            if (model.endsWith("-q")) { // its vector would depend on its companions'
              assertThat(together.get(i)).as("text %d", from + i).isEqualTo(alone);
            }
            float[] python = batch.get(i).vector();
            worstAlone = Math.min(worstAlone, ServedTexts.cosine(alone, python));
            worstInBatch = Math.min(worstInBatch, ServedTexts.cosine(together.get(i), python));
            equalToPython += Arrays.equals(alone, python) ? 1 : 0;
          }
        }
      }
    }
    System.out.printf(
        "| %s | %d | %.9f | %.9f | %d |%n",
        model, all.size(), worstAlone, worstInBatch, equalToPython);
    assertThat(worstAlone).isGreaterThan(0.999999);
    assertThat(worstInBatch).isGreaterThan(0.999999);
  }
}
