package io.nereid.server.codec.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Any body of an inference request in JSON, with and without binary data behind it. */
class JsonRequestFuzzTest {
  /** Where the binary data begins: behind this byte, which no JSON contains. */
  private static final byte SEPARATOR = 0x1E;

  private static final int MAX_INPUT_SIZE = 1 << 20;
  private static final ModelKey MODEL = new ModelKey("m", 1);

  /** Where the response of that model has its outputs. */
  private static final int OUTPUTS_AT = "{\"model_name\":\"m\",\"model_version\":\"1\",".length();

  private static final String SYNTAX = "failed to parse the request JSON buffer";

  private final JsonRequestReader reader =
      new JsonRequestReader(MAX_INPUT_SIZE, SharedRegions.NONE);

  @FuzzTest
  void isReadOrRejected(byte[] input) {
    int separator = indexOf(input, SEPARATOR);
    byte[] body = separator < 0 ? input : without(input, separator);
    int jsonSize = separator < 0 ? body.length : separator;
    FuzzedMemory.run(input, memory -> readOrReject(body, jsonSize, memory));
  }

  private void readOrReject(byte[] body, int jsonSize, FuzzedMemory memory) {
    Optional<String> syntaxError = syntaxError(Arrays.copyOf(body, jsonSize), memory);
    try (DecodedRequest request = reader.read(memory.copyOf(body), jsonSize, "m", false, memory)) {
      assertThat(syntaxError).isEmpty();
      request.inputs().forEach(tensor -> assertReadBackFromText(tensor, memory));
    } catch (InferenceException rejected) {
      // Numbers that are checked as they are converted cause the same error.
      String message = String.valueOf(rejected.getMessage());
      assertThat(Optional.of(message).filter(text -> text.startsWith(SYNTAX)))
          .isEqualTo(syntaxError);
      assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
    }
  }

  private static int indexOf(byte[] bytes, byte wanted) {
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private static byte[] without(byte[] bytes, int at) {
    byte[] rest = new byte[bytes.length - 1];
    System.arraycopy(bytes, 0, rest, 0, at);
    System.arraycopy(bytes, at + 1, rest, at, rest.length - at);
    return rest;
  }

  private static Optional<String> syntaxError(byte[] json, FuzzedMemory memory) {
    try (Lease text = memory.copyOf(json)) {
      JsonDocument.parse(text.segment());
      return Optional.empty();
    } catch (InferenceException malformed) {
      return Optional.of(String.valueOf(malformed.getMessage()));
    }
  }

  /** Writes an input as an output, reads that and writes it again: both texts must be the same. */
  private void assertReadBackFromText(Tensor tensor, FuzzedMemory memory) {
    byte[] text;
    try {
      text = written(tensor);
    } catch (InferenceException notText) { // 16-bit floats, and binary data of another size
      return;
    }
    byte[] body = text.clone();
    byte[] inputs = "\"inputs\" ".getBytes(StandardCharsets.US_ASCII); // as long as "outputs"
    System.arraycopy(inputs, 0, body, OUTPUTS_AT, inputs.length);
    try (DecodedRequest again = reader.read(memory.copyOf(body), body.length, "m", false, memory)) {
      assertThat(written(again.inputs().getFirst())).isEqualTo(text);
    }
  }

  private static byte[] written(Tensor tensor) {
    var sink = new ByteSink(256);
    var output = new JsonResponseWriter.Output(tensor, JsonResponseWriter.Form.TEXT);
    JsonResponseWriter.write(sink, "", MODEL, Map.of(), List.of(output));
    return sink.toByteArray();
  }
}
