package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.request.Parameter;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tokens as an output. */
@Timeout(120)
class TokenizationTest {
  @TempDir Path repository;
  private ServedTexts served;

  @BeforeEach
  void open() throws IOException {
    ServedTexts.copy("cls", repository);
    Files.writeString(
        repository.resolve("cls/config.pbtxt"),
        "backend: \"text\" parameters { key: \"tokenization\" value { string_value: \"true\" } }");
    served = ServedTexts.open(repository);
  }

  @AfterEach
  void close() {
    served.close();
  }

  private List<String> tokenize(Map<String, Parameter> parameters, String... texts) {
    ModelRequest.Builder request =
        ModelRequest.to("cls")
            .input("TEXT", Shape.of(texts.length, 1), texts)
            .output("TOKENIZATION");
    try (ModelResponse response = served.engine().infer(ServedTexts.with(parameters, request))) {
      return response.strings("TOKENIZATION");
    }
  }

  @Test
  void tokensAreToldWithTheirBytesInTheText() {
    Map<String, Parameter> passage = Map.of("prompt_name", new Parameter.OfString("passage"));

    assertThat(tokenize(passage, "Café 日", "").getFirst())
        .isEqualTo(
            "[{\"id\":2,\"text\":\"[CLS]\",\"special\":true,\"start\":null,\"stop\":null},"
                + "{\"id\":23,\"text\":\"passage\",\"special\":false,\"start\":0,\"stop\":7},"
                + "{\"id\":22,\"text\":\":\",\"special\":false,\"start\":7,\"stop\":8},"
                + "{\"id\":24,\"text\":\"Caf\",\"special\":false,\"start\":9,\"stop\":12},"
                + "{\"id\":25,\"text\":\"é\",\"special\":false,\"start\":12,\"stop\":14},"
                + "{\"id\":29,\"text\":\"日\",\"special\":false,\"start\":15,\"stop\":18},"
                + "{\"id\":3,\"text\":\"[SEP]\",\"special\":true,\"start\":null,\"stop\":null}]");
    assertThat(
            tokenize(Map.of("add_special_tokens", new Parameter.OfBoolean(false)), "sea")
                .getFirst())
        .doesNotContain("[CLS]");
    String[] list = new String[100];
    Arrays.fill(list, "sea");
    assertThat(tokenize(passage, list)).hasSize(100);
  }
}
