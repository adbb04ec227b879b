package io.nereid.server.codec.json;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import io.nereid.tensor.Tensor;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A writer of responses to {@code POST .../generate} and of the events of {@code
 * .../generate_stream}: one object, whose members are the names of the model, the response's
 * parameters and its outputs, by name. Of members of one name the first of these counts.
 */
public final class GenerateResponseWriter {
  private static final String ID = "id";
  private static final String MODEL_NAME = "model_name";
  private static final String MODEL_VERSION = "model_version";
  private static final String EVENT = "data: ";
  private static final String EVENT_END = "\n\n";

  private GenerateResponseWriter() {}

  /**
   * A response, to be written whole or part by part.
   *
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT if an output's type has no JSON
   *     form, INTERNAL if its bytes do not fit its shape
   */
  public static JsonParts parts(InferenceResponse response) {
    var parts = new JsonParts();
    add(parts, response);
    return parts;
  }

  /** A response as an event of the stream; throws as {@link #parts} does. */
  public static JsonParts eventParts(InferenceResponse response) {
    JsonParts parts = new JsonParts().text(sink -> sink.putAscii(EVENT));
    add(parts, response);
    return parts.text(sink -> sink.putAscii(EVENT_END));
  }

  private static void add(JsonParts parts, InferenceResponse response) {
    char separator = '{';
    for (String name : names(response)) {
      char before = separator;
      separator = ',';
      parts.text(sink -> {
        sink.put(before);
        JsonText.putString(sink, name);
        sink.put(':');
      });
      Optional<Tensor> output = isText(name, response) ? Optional.empty() : response.output(name);
      if (output.isEmpty()) {
        parts.text(sink -> putText(sink, name, response));
      } else if (output.get().shape().elementCount() == 1) {
        parts.elements(output.get());
      } else {
        parts.text(sink -> sink.put('['));
        parts.elements(output.get());
        parts.text(sink -> sink.put(']'));
      }
    }
    parts.text(sink -> sink.put('}'));
  }

  /** Writes a failure as an event of the stream. */
  public static void writeErrorEvent(ByteSink sink, String message) {
    sink.putAscii(EVENT);
    JsonResponseWriter.putError(sink, message);
    sink.putAscii(EVENT_END);
  }

  private static SortedSet<String> names(InferenceResponse response) {
    SortedSet<String> names = new TreeSet<>(response.parameters().keySet());
    if (!response.id().isEmpty()) {
      names.add(ID);
    }
    names.add(MODEL_NAME);
    names.add(MODEL_VERSION);
    for (Tensor output : response.outputs()) {
      names.add(output.name());
    }
    return names;
  }

  /** Whether the first member of a name is none of the outputs. */
  private static boolean isText(String name, InferenceResponse response) {
    return name.equals(MODEL_NAME)
        || name.equals(MODEL_VERSION)
        || (name.equals(ID) && !response.id().isEmpty())
        || response.parameters().containsKey(name);
  }

  private static void putText(ByteSink sink, String name, InferenceResponse response) {
    if (name.equals(MODEL_NAME)) {
      JsonText.putString(sink, response.model().name());
    } else if (name.equals(MODEL_VERSION)) {
      JsonText.putString(sink, Long.toString(response.model().version()));
    } else if (name.equals(ID) && !response.id().isEmpty()) {
      JsonText.putString(sink, response.id());
    } else {
      JsonResponseWriter.putParameter(
          sink, Objects.requireNonNull(response.parameters().get(name)));
    }
  }
}
