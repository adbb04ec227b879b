package io.nereid.server.codec.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.Failures;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.Bodies;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long arrays of numbers, which are checked while they are converted. */
final class NumbersCheckedLateTest {
  private static final String BODY =
      "{\"id\":\"7\",\"inputs\":["
          + "{\"name\":\"F\",\"datatype\":\"FP32\",\"shape\":[2,6],\"data\":[0.25,-1.5e-3, 12345678.5,"
          + "-0.8512345552444458,7,0.08512345552444458,1,2.5, 3.25,-4.125,1E2,-0]},"
          + "{\"name\":\"I\",\"datatype\":\"INT32\",\"shape\":[12],\"data\":[[1,22,-333,4444, 55555,"
          + "666666,7777777,88888888],[1,-2,3,2147483647]]}],"
          + "\"outputs\":[{\"name\":\"O\",\"parameters\":{\"classification\":3}}]}";
  private static final String ALPHABET = "0123456789,,..--+eE []{}\"ntNI\n/:a";
  private static final String SYNTAX = "failed to parse the request JSON buffer";

  @RegisterExtension private final Bodies bodies = new Bodies();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void rejectsAndReadsAsIfTheWholeTextWereCheckedFirst(long seed) {
    var random = new Random(seed);
    int malformed = 0;
    for (int i = 0; i < 1000; i++) {
      byte[] body = mutated(random);
      Optional<String> expected = syntaxError(body);
      malformed += expected.isPresent() ? 1 : 0;
      try (DecodedRequest request = bodies.read(body)) {
        assertThat(expected).as(new String(body, ISO_8859_1)).isEmpty();
        assertSameNumbers(body, request.inputs());
      } catch (InferenceException rejected) {
        assertThat(Optional.of(rejected.getMessage()).filter(text -> text.startsWith(SYNTAX)))
            .as(new String(body, ISO_8859_1))
            .isEqualTo(expected);
      }
    }
    assertThat(malformed).isBetween(100, 900);
  }

  private static byte[] mutated(Random random) {
    byte[] body = BODY.getBytes(ISO_8859_1);
    for (int left = random.nextInt(3); left >= 0; left--) {
      body[random.nextInt(body.length)] = (byte) ALPHABET.charAt(random.nextInt(ALPHABET.length()));
    }
    return body;
  }

  private static JsonDocument parse(byte[] body) {
    var text = Arena.ofAuto().allocate(body.length);
    return JsonDocument.parse(text.copyFrom(MemorySegment.ofArray(body)));
  }

  private static Optional<String> syntaxError(byte[] body) {
    try {
      parse(body);
      return Optional.empty();
    } catch (InferenceException rejected) {
      return Optional.of(rejected.getMessage());
    }
  }

  private static void assertSameNumbers(byte[] body, List<Tensor> inputs) {
    List<JsonValue> given = parse(body).root().required("inputs").elements();
    Tensor input = inputs.getFirst();
    List<JsonValue> numbers = given.getFirst().required("data").elements();
    if (input.dataType() == DataType.FP32 && numbers.stream().allMatch(JsonValue::isNumber)) {
      for (int k = 0; k < numbers.size(); k++) {
        assertThat(input.data().get(Elements.FLOAT, (long) k * Float.BYTES))
            .as(new String(body, ISO_8859_1))
            .isEqualTo((float) numbers.get(k).asDouble());
      }
    }
  }

  @Test
  void reportsTheFirstErrorOfTheText() {
    String twice = BODY.replace("\"name\":\"I\"", "\"name\":\"F\"");
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "[request id: 7] input 'F' already exists in request",
        () -> bodies.read(twice));
    String body = twice.replace("7777777", "07777777");
    Failures.assertRejected(
        StatusCode.INTERNAL,
        SYNTAX + ": Missing a comma or ] after an array element. at " + (body.indexOf("0777") + 1),
        () -> bodies.read(body));
  }

  @Test
  void checksNumbersOutsideOfInputs() {
    String numbers = "1,".repeat(40);
    String body = BODY.replace("\"id\"", "\"unknown\":[" + numbers + "2],\"id\"");
    bodies.read(body).close();
    String wrong = BODY.replace("\"id\"", "\"unknown\":[" + numbers + "],\"id\"");
    Failures.assertRejected(
        StatusCode.INTERNAL,
        SYNTAX + ": Invalid value. at " + wrong.indexOf("],\"id\""),
        () -> bodies.read(wrong));
  }
}
