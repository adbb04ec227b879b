package io.nereid.text.folder;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The parameters of a text model's configuration. What {@code config.pbtxt} leaves out, the files
 * say; the completed configuration has all that apply, for what serves the model to find.
 */
public record TextParameters(ModelConfig config) {
  public static final String TASK = "task";
  public static final String POOLING = "pooling";
  public static final String NORMALIZE = "normalize";
  public static final String DIMENSION = "dimension";
  public static final String MAX_LENGTH = "max_length";
  public static final String TRUNCATE = "truncate";
  public static final String PROMPTS = "prompts";
  public static final String PROMPT_NAME = "prompt_name";
  public static final String LABELS = "labels";
  public static final String ACTIVATION = "activation";
  public static final String MAX_BATCH_TOKENS = "max_batch_tokens";
  public static final String MAX_BATCH_TEXTS = "max_batch_texts";
  public static final String TOKENIZATION = "tokenization";
  public static final String ONE_TEXT_PER_RUN = "one_text_per_run";

  private static final Set<String> OWN =
      Set.of(
          TASK,
          POOLING,
          NORMALIZE,
          DIMENSION,
          MAX_LENGTH,
          TRUNCATE,
          PROMPTS,
          PROMPT_NAME,
          LABELS,
          ACTIVATION,
          MAX_BATCH_TOKENS,
          MAX_BATCH_TEXTS,
          TOKENIZATION,
          ONE_TEXT_PER_RUN,
          ModelConfig.CALLS);

  /** Those that are the graph's: of its backend. */
  public Map<String, String> ofGraph() {
    Map<String, String> others = new HashMap<>(config.parameters());
    others.keySet().removeAll(OWN);
    return others;
  }

  Optional<String> text(String key) {
    return Optional.ofNullable(config.parameters().get(key));
  }

  /** A number from 1 on. */
  public Optional<Integer> count(String key) {
    return text(key)
        .map(value -> {
          if (!value.matches("[1-9][0-9]{0,8}")) {
            throw invalid(key, "a whole number from 1 on", value);
          }
          return Integer.parseInt(value);
        });
  }

  public Optional<Boolean> flag(String key) {
    return text(key)
        .map(value ->
            switch (value) {
              case "true" -> true;
              case "false" -> false;
              default -> throw invalid(key, "true or false", value);
            });
  }

  /** One of several, by its label. */
  <E> Optional<E> choice(String key, List<E> values, Function<E, String> label) {
    return text(key)
        .map(value ->
            values.stream()
                .filter(each -> label.apply(each).equals(value))
                .findFirst()
                .orElseThrow(() ->
                    invalid(
                        key,
                        "one of " + String.join(", ", values.stream().map(label).toList()),
                        value)));
  }

  /** An object of JSON with strings. */
  Optional<Map<String, String>> strings(String key) {
    return text(key)
        .map(value -> {
          if (JsonFile.parse(value, "parameter '" + key + "'") instanceof JsonObject object) {
            return new JsonFile("parameter '" + key + "'", object).strings();
          }
          throw invalid(key, "an object of JSON with strings", value);
        });
  }

  /** An array of JSON with strings. */
  Optional<List<String>> list(String key) {
    return text(key)
        .map(value -> {
          JsonObject holder = new JsonObject();
          holder.add(key, JsonFile.parse(value, "parameter '" + key + "'"));
          return new JsonFile("parameters", holder).texts(key);
        });
  }

  private static InferenceException invalid(String key, String expected, String value) {
    return InferenceException.invalid(
        "parameter '%s' must be %s, got '%s'".formatted(key, expected, value));
  }

  /** All parameters that settings stand for. */
  public static Map<String, String> of(TextSettings settings) {
    Map<String, String> all = new HashMap<>();
    all.put(TASK, settings.task().label());
    all.put(MAX_LENGTH, Integer.toString(settings.texts().maxTokens()));
    all.put(TRUNCATE, Boolean.toString(settings.texts().truncates()));
    switch (settings.task()) {
      case EMBEDDING -> {
        all.put(DIMENSION, Integer.toString(settings.width()));
        all.put(NORMALIZE, Boolean.toString(settings.normalizes()));
        settings.pooling().ifPresent(pooling -> all.put(POOLING, pooling.label()));
        Prompts prompts = settings.texts().prompts();
        var object = new JsonObject();
        prompts.byName().keySet().stream()
            .sorted()
            .forEach(name -> object.addProperty(name, prompts.named(name)));
        all.put(PROMPTS, object.toString());
        if (!prompts.defaultName().isEmpty()) {
          all.put(PROMPT_NAME, prompts.defaultName());
        }
      }
      case CLASSIFY -> {
        var array = new JsonArray();
        settings.labels().forEach(array::add);
        all.put(LABELS, array.toString());
        all.put(ACTIVATION, settings.independent() ? "sigmoid" : "softmax");
      }
      case RERANK -> all.put(ACTIVATION, "sigmoid");
    }
    return all;
  }
}
