package io.nereid.tck.command;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What a server that does not read Triton's configurations needs to know of the kit's models: of
 * each its name, versions, greatest batch, what it computes, and its inputs and outputs as its
 * metadata in the v2 protocol.
 */
final class ModelSignatures {
  /** A line of the kit's configurations, which have a tensor on each. */
  private static final Pattern TENSOR =
      Pattern.compile(
          "(?m)^(?<kind>input|output) \\{ name: \"(?<name>\\w+)\" data_type: TYPE_(?<type>\\w+)"
              + " dims: \\[ (?<dims>-?\\d+) ](?<optional> optional: true)? }$");

  private static final Pattern BACKEND = Pattern.compile("(?m)^backend: \"tck_(\\w+)\"$");
  private static final Pattern MAX_BATCH_SIZE = Pattern.compile("(?m)^max_batch_size: (\\d+)$");

  private final JsonGenerator json;

  private ModelSignatures(JsonGenerator json) {
    this.json = json;
  }

  /** All models, as a JSON list. */
  static String json() {
    var text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.useDefaultPrettyPrinter();
      json.writeStartArray();
      for (String model : TckModels.names()) {
        new ModelSignatures(json).write(model);
      }
      json.writeEndArray();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return text.append('\n').toString();
  }

  private void write(String model) throws IOException {
    String config = TckModels.config(model);
    int maxBatchSize = Integer.parseInt(first(MAX_BATCH_SIZE, config));
    json.writeStartObject();
    json.writeStringField("name", model);
    json.writeFieldName("versions");
    String[] versions = TckModels.versions(model).toArray(String[]::new);
    json.writeArray(versions, 0, versions.length);
    json.writeStringField("computes", first(BACKEND, config));
    json.writeNumberField("max_batch_size", maxBatchSize);
    for (String kind : new String[] {"input", "output"}) {
      json.writeArrayFieldStart(kind + "s");
      for (MatchResult tensor : TENSOR.matcher(config).results().toList()) {
        if (tensor.group("kind").equals(kind)) {
          write(tensor, maxBatchSize > 0);
        }
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private void write(MatchResult tensor, boolean isBatched) throws IOException {
    String type = tensor.group("type");
    long size = Long.parseLong(tensor.group("dims"));
    long[] shape = isBatched ? new long[] {-1, size} : new long[] {size};
    json.writeStartObject();
    json.writeStringField("name", tensor.group("name"));
    json.writeStringField("datatype", type.equals("STRING") ? "BYTES" : type);
    json.writeFieldName("shape");
    json.writeArray(shape, 0, shape.length);
    if (tensor.group("optional") != null) {
      json.writeBooleanField("optional", true);
    }
    json.writeEndObject();
  }

  private static String first(Pattern pattern, String config) {
    return pattern
        .matcher(config)
        .results()
        .map(found -> found.group(1))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no %s in %s".formatted(pattern, config)));
  }
}
