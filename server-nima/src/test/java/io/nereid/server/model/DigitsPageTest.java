package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The example {@code digits_page}: a Java model that calls two others. */
class DigitsPageTest {
  private static final Path EXAMPLES = Path.of("..", "examples");

  /** The width and the height of a held-out digit. */
  private static final int DIGIT = 8;

  private static LocalServer server;

  @BeforeAll
  static void start() throws IOException {
    server =
        new LocalServer(
            LocalServer.options(
                EXAMPLES.resolve("models"),
                "--model-repository=" + EXAMPLES.resolve("java-models"),
                "--model-control-mode=explicit",
                "--load-model=digits_page",
                "--backend-config=java,allow=true"),
            new CheckedBufferPool());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** A page of paper. */
  private static int[][] page(int height, int width) {
    return new int[height][width];
  }

  /** Puts a held-out digit with that number onto a page. */
  private static void put(int[][] page, int number, int x, int y) throws IOException {
    String json = Files.readString(EXAMPLES.resolve("digits/held-out/%03d.json".formatted(number)));
    JsonArray pixels =
        JsonParser.parseString(json)
            .getAsJsonObject()
            .getAsJsonArray("inputs")
            .get(0)
            .getAsJsonObject()
            .getAsJsonArray("data");
    for (int i = 0; i < pixels.size(); i++) {
      page[y + i / DIGIT][x + i % DIGIT] = Math.min(255, pixels.get(i).getAsInt() * 16);
    }
  }

  private static JsonObject infer(int[][] page) {
    var data = new JsonArray();
    for (int[] row : page) {
      for (int pixel : row) {
        data.add(pixel);
      }
    }
    String request =
        """
        {"inputs": [{"name": "page", "datatype": "UINT8", "shape": [%d, %d], "data": %s}]}
        """
            .formatted(page.length, page[0].length, data);
    try (var wire = new HttpWire(server.http())) {
      HttpWire.Response response =
          wire.send(
              "POST",
              "/v2/models/digits_page/infer",
              request.getBytes(StandardCharsets.UTF_8),
              Map.of());
      assertThat(response.status()).as(response.text()).isEqualTo(200);
      return JsonParser.parseString(response.text()).getAsJsonObject();
    }
  }

  private static JsonObject output(JsonObject response, String name) {
    for (var each : response.getAsJsonArray("outputs")) {
      if (each.getAsJsonObject().get("name").getAsString().equals(name)) {
        return each.getAsJsonObject();
      }
    }
    throw new AssertionError("no output '%s' in %s".formatted(name, response));
  }

  private static String text(JsonObject response) {
    return output(response, "text").getAsJsonArray("data").get(0).getAsString();
  }

  @Test
  void theDigitsOfAPageAreFoundAndReadInLines() throws IOException {
    int[][] page = page(40, 60);
    put(page, 0, 3, 4);
    put(page, 1, 20, 5);
    put(page, 2, 40, 3);
    put(page, 3, 10, 25);

    JsonObject response = infer(page);

    // what truth.tsv says of these four
    assertThat(text(response)).isEqualTo("six eight seven\nsix");
    assertThat(output(response, "boxes").get("shape")).hasToString("[4,4]");
    assertThat(output(response, "probabilities").getAsJsonArray("data"))
        .hasSize(4)
        .allSatisfy(each -> assertThat(each.getAsFloat()).isBetween(0.9f, 1f));
  }

  @Test
  void anEmptyPageHasNoDigits() {
    JsonObject response = infer(page(10, 10));

    assertThat(text(response)).isEmpty();
    assertThat(output(response, "boxes").get("shape")).hasToString("[0,4]");
  }

  @Test
  void moreDigitsThanABatchHoldsAreReadToo() throws IOException {
    int[][] page = page(130, 130);
    for (int i = 0; i < 100; i++) {
      put(page, 0, 2 + i % 10 * 13, 2 + i / 10 * 13);
    }

    JsonObject response = infer(page);

    assertThat(text(response).lines()).hasSize(10).containsOnly("six" + " six".repeat(9));
  }
}
