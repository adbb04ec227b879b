package io.nereid.config;

import io.nereid.error.InferenceException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The limit of what a batch of {@code dynamic_batching} costs, beside {@code max_batch_size}. The
 * {@code parameters} of a model contain it:
 *
 * <pre>{@code
 * parameters { key: "max_batch_cost" value { string_value: "8192" } }
 * parameters { key: "batch_weight_input" value { string_value: "input_ids" } }
 * }</pre>
 *
 * <p>A row weighs as much as it has elements in one input: a text as many as it has tokens. A
 * request that costs more than the limit by itself is executed alone.
 *
 * @param weightInput the input; of type BYTES, a row weighs as many bytes as its elements have
 * @param kind how weights add up
 * @param maxCost at least 1
 * @param maxPaddingPercent the largest part of the cost that may be padding, from 0 to 100
 * @param maxReorderingMicros a request may be executed before one that arrived earlier by less than
 *     this, if its weight is closer to that of the request which is executed next; 0 for never
 */
public record BatchCostSettings(
    String weightInput, Kind kind, long maxCost, int maxPaddingPercent, long maxReorderingMicros) {
  /** How the cost of a batch follows from the weights of its rows. */
  public enum Kind {
    /** All rows are as long as the longest one: the largest weight times the number of rows. */
    PADDED("padded"),

    /** The sum of the weights. */
    SUM("sum");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** The value of the parameter {@code batch_cost}. */
    @Override
    public String toString() {
      return text;
    }
  }

  /** The parameter with the limit, which the others need. */
  public static final String MAX_COST = "max_batch_cost";

  /** The parameter that names the input. */
  public static final String WEIGHT_INPUT = "batch_weight_input";

  /** The parameter with the {@link Kind}. */
  public static final String KIND = "batch_cost";

  /** The parameter with the largest part of padding. */
  public static final String MAX_PADDING = "max_batch_padding_percent";

  /** The parameter that lets requests be executed before earlier ones. */
  public static final String MAX_REORDERING = "max_batch_reordering_microseconds";

  /** All of these parameters. */
  public static final List<String> PARAMETERS =
      List.of(MAX_COST, WEIGHT_INPUT, KIND, MAX_PADDING, MAX_REORDERING);

  private static final int ANY_PADDING = 100;

  /** A limit that keeps the order of requests. */
  public static BatchCostSettings of(String weightInput, Kind kind, long maxCost) {
    return new BatchCostSettings(weightInput, kind, maxCost, ANY_PADDING, 0);
  }

  /**
   * The limit in the parameters of a model; empty if they have none.
   *
   * @param model its name, for messages
   * @throws InferenceException INVALID_ARGUMENT for a value that is not what a parameter expects,
   *     and for a parameter that needs another one
   */
  public static Optional<BatchCostSettings> of(String model, Map<String, String> parameters) {
    if (!parameters.containsKey(MAX_COST)) {
      for (String each : PARAMETERS) {
        require(!parameters.containsKey(each), model, each, "needs parameter '%s'", MAX_COST);
      }
      return Optional.empty();
    }
    String input = parameters.getOrDefault(WEIGHT_INPUT, "");
    require(
        !input.isEmpty(),
        model,
        MAX_COST,
        "needs parameter '%s' with the name of the input whose elements count",
        WEIGHT_INPUT);
    var settings =
        new BatchCostSettings(
            input,
            kind(model, parameters.getOrDefault(KIND, Kind.PADDED.text)),
            number(model, parameters, MAX_COST, 1, 1, Long.MAX_VALUE),
            (int) number(model, parameters, MAX_PADDING, ANY_PADDING, 0, ANY_PADDING),
            number(model, parameters, MAX_REORDERING, 0, 0, Long.MAX_VALUE));
    for (String each : List.of(MAX_PADDING, MAX_REORDERING)) {
      require(
          settings.kind == Kind.PADDED || !parameters.containsKey(each),
          model,
          each,
          "has no effect with '%s' '%s', whose batches have no padding",
          KIND,
          settings.kind);
    }
    return Optional.of(settings);
  }

  private static Kind kind(String model, String value) {
    for (Kind each : Kind.values()) {
      if (each.text.equals(value)) {
        return each;
      }
    }
    throw invalid(model, KIND, "must be 'padded' or 'sum', got '%s'", value);
  }

  private static long number(
      String model,
      Map<String, String> parameters,
      String key,
      long otherwise,
      long least,
      long most) {
    String value = parameters.get(key);
    if (value == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // as one out of range
    }
    throw invalid(model, key, "must be an integer from %d to %d, got '%s'", least, most, value);
  }

  private static void require(
      boolean condition, String model, String key, String format, Object... arguments) {
    if (!condition) {
      throw invalid(model, key, format, arguments);
    }
  }

  private static InferenceException invalid(
      String model, String key, String format, Object... arguments) {
    return InferenceException.invalid(
        "model '%s': parameter '%s' %s".formatted(model, key, format.formatted(arguments)));
  }
}
