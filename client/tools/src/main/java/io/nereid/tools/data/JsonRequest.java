package io.nereid.tools.data;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An inference request in the JSON of the v2 protocol (KServe, {@code required_api.md}, section
 * Inference), without data outside of it.
 */
public final class JsonRequest {
  private JsonRequest() {}

  /** Whether it is such a request, and not rows. */
  public static boolean isRequest(JsonElement json) {
    return json instanceof JsonObject object
        && object.get("inputs") != null
        && object.get("inputs").isJsonArray();
  }

  /**
   * Adds inputs, outputs, parameters and id to a request.
   *
   * @param source for messages
   * @throws DataException if it is of another form
   */
  public static void read(String source, JsonElement json, InferRequest.Builder request) {
    try {
      JsonObject object = json.getAsJsonObject();
      for (JsonElement input : object.getAsJsonArray("inputs")) {
        JsonObject each = input.getAsJsonObject();
        String name = text(source, "an input", each, "name");
        request.input(name, tensor(source, "input '%s'".formatted(name), each));
      }
      if (object.has("outputs")) {
        for (JsonElement output : object.getAsJsonArray("outputs")) {
          request.outputs(text(source, "an output", output.getAsJsonObject(), "name"));
        }
      }
      if (object.has("id")) {
        request.id(object.get("id").getAsString());
      }
      if (object.has("parameters")) {
        for (Map.Entry<String, JsonElement> parameter :
            object.getAsJsonObject("parameters").entrySet()) {
          put(request, parameter.getKey(), parameter.getValue().getAsJsonPrimitive());
        }
      }
    } catch (IllegalStateException | ClassCastException wrong) { // of Gson
      throw new DataException(
          "'%s' is no inference request: %s".formatted(source, wrong.getMessage()));
    } catch (IllegalArgumentException wrong) {
      throw new DataException("'%s': %s".formatted(source, wrong.getMessage()));
    }
  }

  private static void put(InferRequest.Builder request, String name, JsonPrimitive value) {
    if (value.isBoolean()) {
      request.parameter(name, value.getAsBoolean());
    } else if (value.isString()) {
      request.parameter(name, value.getAsString());
    } else if (value.getAsDouble() == Math.rint(value.getAsDouble())) {
      request.parameter(name, value.getAsLong());
    } else {
      request.parameter(name, value.getAsDouble());
    }
  }

  private static Tensor tensor(String source, String what, JsonObject input) {
    DataType type;
    String datatype = text(source, what, input, "datatype");
    try {
      type = DataType.valueOf(datatype);
    } catch (IllegalArgumentException _) {
      throw new DataException(
          "'%s': %s has the unknown datatype '%s'".formatted(source, what, datatype));
    }
    if (!input.has("shape") || !input.has("data")) {
      throw new DataException(
          "'%s': %s has no '%s'".formatted(source, what, input.has("shape") ? "data" : "shape"));
    }
    long[] shape =
        input.getAsJsonArray("shape").asList().stream().mapToLong(JsonElement::getAsLong).toArray();
    List<String> texts = new ArrayList<>();
    flatten(input.get("data"), texts);
    ElementBuffer elements = new ElementBuffer(type, texts.size());
    for (int i = 0; i < texts.size(); i++) {
      try {
        elements.put(texts.get(i));
      } catch (IllegalArgumentException wrong) {
        throw new DataException(
            "'%s': %s, element %d: %s".formatted(source, what, i, wrong.getMessage()));
      }
    }
    return elements.tensor(shape);
  }

  /** The values of nested arrays, in their order. */
  private static void flatten(JsonElement value, List<String> texts) {
    if (value.isJsonArray()) {
      value.getAsJsonArray().forEach(each -> flatten(each, texts));
    } else {
      texts.add(value.isJsonNull() ? "" : value.getAsString());
    }
  }

  private static String text(String source, String what, JsonObject object, String member) {
    if (!object.has(member)) {
      throw new DataException("'%s': %s has no '%s'".formatted(source, what, member));
    }
    return object.get(member).getAsString();
  }
}
