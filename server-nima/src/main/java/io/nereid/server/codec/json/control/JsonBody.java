package io.nereid.server.codec.json.control;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The body of a response that is JSON, and has no tensors. */
public final class JsonBody {
  /** What writes a body. */
  @FunctionalInterface
  public interface Writing {
    void to(JsonWriter json) throws IOException;
  }

  private JsonBody() {}

  /** The body that is written. */
  public static byte[] of(Writing writing) {
    var text = new StringWriter();
    try {
      writing.to(new JsonWriter(text));
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to memory", impossible);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
