package io.nereid.server.codec.json.text;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A writer of what the text APIs tell of models. */
public final class ModelInfoWriter {
  private ModelInfoWriter() {}

  /**
   * OpenAI's list.
   *
   * @param created in seconds since 1970
   */
  public static byte[] list(Collection<String> names, long created) {
    var sink = new ByteSink(64 + 96 * names.size());
    sink.putAscii("{\"object\":\"list\",\"data\":");
    char separator = '[';
    for (String name : names) {
      sink.put(separator);
      separator = ',';
      putModel(sink, name, created);
    }
    sink.putAscii(names.isEmpty() ? "[]}" : "]}");
    return sink.toByteArray();
  }

  /** An entry of that list. */
  public static byte[] model(String name, long created) {
    var sink = new ByteSink(128);
    putModel(sink, name, created);
    return sink.toByteArray();
  }

  private static void putModel(ByteSink sink, String name, long created) {
    sink.putAscii("{\"id\":");
    JsonText.putString(sink, name);
    sink.putAscii(",\"object\":\"model\",\"created\":");
    sink.putLong(created);
    sink.putAscii(",\"owned_by\":\"nereid\"}");
  }

  /**
   * TEI's description of a model.
   *
   * @param version the server's
   */
  public static byte[] info(ServedTextModel model, int maxRequests, String version) {
    Map<String, String> parameters = model.config().parameters();
    var sink = new ByteSink(512);
    sink.putAscii("{\"model_id\":");
    JsonText.putString(sink, model.name());
    sink.putAscii(",\"served_model_name\":");
    JsonText.putString(sink, model.name());
    sink.putAscii(",\"model_sha\":null,\"model_type\":{");
    switch (model.task()) {
      case EMBEDDING -> {
        sink.putAscii("\"embedding\":{\"pooling\":");
        JsonText.putString(sink, parameters.getOrDefault("pooling", ""));
        sink.put('}');
      }
      case RERANK -> putLabels(sink, "reranker", model);
      case CLASSIFY -> putLabels(sink, "classifier", model);
    }
    sink.putAscii("},\"max_concurrent_requests\":");
    sink.putLong(maxRequests);
    sink.putAscii(",\"max_input_length\":");
    sink.putAscii(number(parameters.get("max_length")));
    sink.putAscii(",\"max_client_batch_size\":");
    sink.putLong(model.limits(0).maxTexts());
    sink.putAscii(",\"auto_truncate\":");
    sink.putAscii(Boolean.toString(Boolean.parseBoolean(parameters.get("truncate"))));
    sink.putAscii(",\"version\":");
    JsonText.putString(sink, version);
    sink.put('}');
    return sink.toByteArray();
  }

  private static void putLabels(ByteSink sink, String kind, ServedTextModel model) {
    int count = Math.max(1, model.labels().size());
    sink.putAscii("\"" + kind + "\":{\"id2label\":");
    for (int i = 0; i < count; i++) {
      sink.putAscii((i == 0 ? "{\"" : ",\"") + i + "\":");
      JsonText.putString(sink, model.label(i));
    }
    sink.putAscii("},\"label2id\":");
    for (int i = 0; i < count; i++) {
      sink.put(i == 0 ? '{' : ',');
      JsonText.putString(sink, model.label(i));
      sink.putAscii(":" + i);
    }
    sink.putAscii("}}");
  }

  /** A parameter that is a number, or null. */
  private static String number(@Nullable String text) {
    return text != null && text.matches("[1-9]\\d{0,9}") ? text : "null";
  }
}
