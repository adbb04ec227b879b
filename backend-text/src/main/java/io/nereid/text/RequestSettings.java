package io.nereid.text;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.text.folder.Task;
import io.nereid.text.folder.TextParameters;
import io.nereid.text.folder.TextSettings;
import java.util.Map;
import java.util.Optional;

/**
 * What one request says by its parameters, else the model.
 *
 * @param prompt what stands before its texts
 * @param width of its vectors
 * @param specialTokens whether a tokenization has them
 * @param raw whether scores are as the graph has made them
 */
record RequestSettings(
    boolean truncates,
    String prompt,
    int width,
    boolean normalizes,
    boolean raw,
    boolean specialTokens) {
  private static final String DIMENSIONS = "dimensions";
  private static final String RAW_SCORES = "raw_scores";
  private static final String ADD_SPECIAL_TOKENS = "add_special_tokens";
  private static final String TRUNCATION_DIRECTION = "truncation_direction";

  /**
   * @throws InferenceException INVALID_ARGUMENT for a parameter of another type or value, or that
   *     is not of the model's task
   */
  static RequestSettings of(TextSettings model, Map<String, Parameter> parameters) {
    if (parameters.isEmpty()) {
      return new RequestSettings(
          model.texts().truncates(),
          model.texts().prompts().byDefault(),
          model.width(),
          model.normalizes(),
          /* raw= */ false,
          /* specialTokens= */ true);
    }
    var reader = new Reader(model, parameters);
    boolean isEmbedding = model.task() == Task.EMBEDDING;
    reader.require(TextParameters.PROMPT_NAME, isEmbedding);
    reader.require(DIMENSIONS, isEmbedding);
    reader.require(TextParameters.NORMALIZE, isEmbedding);
    reader.require(RAW_SCORES, !isEmbedding);
    reader.requireRight();
    return new RequestSettings(
        reader.flag(TextParameters.TRUNCATE).orElse(model.texts().truncates()),
        reader
            .text(TextParameters.PROMPT_NAME)
            .map(model.texts().prompts()::named)
            .orElseGet(model.texts().prompts()::byDefault),
        reader.width(),
        reader.flag(TextParameters.NORMALIZE).orElse(model.normalizes()),
        reader.flag(RAW_SCORES).orElse(false),
        reader.flag(ADD_SPECIAL_TOKENS).orElse(true));
  }

  private record Reader(TextSettings model, Map<String, Parameter> parameters) {
    void require(String name, boolean isOfTask) {
      if (!isOfTask && parameters.containsKey(name)) {
        throw InferenceException.invalid(
            "parameter '%s' is not one of the task '%s'".formatted(name, model.task().label()));
      }
    }

    void requireRight() {
      Optional<String> direction = text(TRUNCATION_DIRECTION);
      if (direction.isPresent() && !direction.get().equalsIgnoreCase("right")) {
        throw invalid(TRUNCATION_DIRECTION, "right", new Parameter.OfString(direction.get()));
      }
    }

    Optional<Boolean> flag(String name) {
      return switch (parameters.get(name)) {
        case null -> Optional.empty();
        case Parameter.OfBoolean(boolean value) -> Optional.of(value);
        case Parameter.OfString(String value) when value.equals("true") -> Optional.of(true);
        case Parameter.OfString(String value) when value.equals("false") -> Optional.of(false);
        case Parameter other -> throw invalid(name, "true or false", other);
      };
    }

    Optional<String> text(String name) {
      return switch (parameters.get(name)) {
        case null -> Optional.empty();
        case Parameter.OfString(String value) -> Optional.of(value);
        case Parameter other -> throw invalid(name, "a string", other);
      };
    }

    int width() {
      return switch (parameters.get(DIMENSIONS)) {
        case null -> model.width();
        case Parameter.OfLong(long value) when value >= 1 && value <= model.width() -> (int) value;
        case Parameter other ->
            throw invalid(DIMENSIONS, "a number from 1 to " + model.width(), other);
      };
    }

    private static InferenceException invalid(String name, String expected, Parameter got) {
      Object value =
          switch (got) {
            case Parameter.OfString(String text) -> "'" + text + "'";
            case Parameter.OfLong(long number) -> number;
            case Parameter.OfBoolean(boolean flag) -> flag;
            case Parameter.OfDouble(double number) -> number;
          };
      return InferenceException.invalid(
          "parameter '%s' must be %s, got %s".formatted(name, expected, value));
    }
  }
}
