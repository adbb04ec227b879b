package io.nereid.server.codec.json.text;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import io.nereid.tensor.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A text model, whichever backend it has: its input {@code TEXT}, an output of its task, the tokens
 * of each text, and the parameter {@code task}.
 *
 * @param labels of a classifier, in the order of its scores; empty if it states none
 */
public record ServedTextModel(ModelConfig config, TextTask task, List<String> labels) {
  static final String TEXT = "TEXT";
  static final String QUERY = "QUERY";
  static final String TOKENS = "TOKENS";
  static final String TOKENIZATION = "TOKENIZATION";

  /**
   * The text model of a configuration; empty if it is none.
   *
   * @throws InferenceException INTERNAL if its parameter {@code labels} is no JSON array of strings
   */
  public static Optional<ServedTextModel> of(ModelConfig config) {
    Optional<TextTask> task = TextTask.parse(config.parameters().getOrDefault("task", ""));
    boolean isText =
        task.isPresent()
            && !config.decoupled()
            && config.input(TEXT).filter(text -> text.dataType() == DataType.BYTES).isPresent()
            && has(config, task.get().output(), DataType.FP32)
            && has(config, TOKENS, DataType.INT32);
    return isText
        ? Optional.of(new ServedTextModel(config, task.get(), labels(config)))
        : Optional.empty();
  }

  private static boolean has(ModelConfig config, String output, DataType type) {
    return config.output(output).filter(found -> found.dataType() == type).isPresent();
  }

  private static List<String> labels(ModelConfig config) {
    String text = config.parameters().get("labels");
    if (text == null) {
      return List.of();
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment json = arena.allocate(utf8.length);
      json.copyFrom(MemorySegment.ofArray(utf8));
      return JsonDocument.parse(json).root().elements().stream().map(JsonValue::asString).toList();
    } catch (InferenceException malformed) {
      throw InferenceException.internal(
          "parameter 'labels' of model '%s' must be a JSON array of strings: %s"
              .formatted(config.name(), malformed.getMessage()));
    }
  }

  public String name() {
    return config.name();
  }

  boolean takesPairs() {
    return config.input(QUERY).isPresent();
  }

  String label(int index) {
    return index < labels.size() ? labels.get(index) : "LABEL_" + index;
  }

  /**
   * Requires the output that has the tokens of a text.
   *
   * @throws InferenceException UNSUPPORTED without it
   */
  void requireTokenization() {
    if (!has(config, TOKENIZATION, DataType.BYTES)) {
      throw InferenceException.unsupported(
          "model '%s' does not tell its tokens: it has no output %s"
              .formatted(name(), TOKENIZATION));
    }
  }

  /** What a request may have. */
  public TextLimits limits(long maxBytes) {
    return new TextLimits(name(), Math.max(1, config.maxBatchSize()), maxBytes);
  }
}
