package io.nereid.server.codec.json.text;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.server.codec.json.document.JsonValue;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A reader of the requests of the text APIs. Fields that choose nothing here, such as {@code user},
 * are ignored. For one request.
 *
 * @param body borrowed
 */
public record TextRequestReader(TextBody body, ServedTextModel model, TextLimits limits) {
  private static final String TRUNCATE = "truncate";
  private static final String DIRECTION = "truncation_direction";
  private static final String PROMPT = "prompt_name";
  private static final String NORMALIZE = "normalize";
  private static final String DIMENSIONS = "dimensions";
  private static final String RAW_SCORES = "raw_scores";

  /** OpenAI's embeddings. */
  public TextQuestion embeddings() {
    String format = body.string("encoding_format").orElse("float");
    if (!format.equals("float") && !format.equals("base64")) {
      throw InferenceException.invalid(
          "'encoding_format' must be \"float\" or \"base64\", and is \"%s\"".formatted(format));
    }
    return new TextQuestion(
        texts("input"),
        null,
        parameters(TRUNCATE, PROMPT, NORMALIZE, DIMENSIONS),
        new TextAnswer.Embeddings(format.equals("base64")));
  }

  /** TEI's embeddings. */
  public TextQuestion vectors() {
    return new TextQuestion(
        texts("inputs"),
        null,
        parameters(TRUNCATE, DIRECTION, PROMPT, NORMALIZE, DIMENSIONS),
        new TextAnswer.Vectors());
  }

  /** A rerank: TEI's if it has {@code texts}, else that of the others. */
  public TextQuestion rerank() {
    TextList query = body.noTexts();
    add(query, "query", body.required("query"));
    boolean isTei = body.has("texts");
    if (isTei && body.has("documents")) {
      throw InferenceException.invalid("the request has 'texts' and 'documents', and may have one");
    }
    TextList texts = isTei ? list("texts") : documents();
    Map<String, Parameter> parameters = parameters(TRUNCATE, DIRECTION, RAW_SCORES);
    return new TextQuestion(
        texts,
        query,
        parameters,
        isTei
            ? new TextAnswer.TeiRanking(body.flag("return_text").orElse(false) ? texts : null)
            : new TextAnswer.Ranking(
                body.count("top_n").orElse(Long.MAX_VALUE),
                body.flag("return_documents").orElse(false) ? texts : null));
  }

  /** VLLM's classification. */
  public TextQuestion classes() {
    return new TextQuestion(
        texts("input"), null, parameters(TRUNCATE, RAW_SCORES), new TextAnswer.Classes());
  }

  /** TEI's classification, of texts or of pairs. */
  public TextQuestion predictions() {
    JsonValue inputs = body.required("inputs");
    Map<String, Parameter> parameters = parameters(TRUNCATE, DIRECTION, RAW_SCORES);
    var reading = new PairsReader(body, model, limits);
    boolean isSingle = reading.read(inputs);
    return new TextQuestion(
        reading.texts(), reading.queries(), parameters, new TextAnswer.Predictions(isSingle));
  }

  /** TEI's tokens. */
  public TextQuestion tokens() {
    model.requireTokenization();
    return new TextQuestion(
        texts("inputs"), null, parameters("add_special_tokens", PROMPT), new TextAnswer.Tokens());
  }

  /** The texts of a string, or of an array of strings. */
  private TextList texts(String name) {
    JsonValue value = body.required(name);
    if (!value.isString()) {
      return list(name);
    }
    TextList texts = body.noTexts();
    add(texts, name, value);
    return texts;
  }

  private TextList list(String name) {
    JsonValue array = requireArray(name);
    TextList texts = body.noTexts();
    for (int at = array.firstElement(); at >= 0; at = array.elementAfter(at)) {
      limits.requireCount(name, texts.count() + 1);
      add(texts, name, body.at(name, at));
    }
    return requireSome(name, texts);
  }

  /** Documents: strings, or objects with {@code text}; these may be empty. */
  private TextList documents() {
    JsonValue array = requireArray("documents");
    TextList texts = body.noTexts();
    for (int at = array.firstElement(); at >= 0; at = array.elementAfter(at)) {
      limits.requireCount("documents", texts.count() + 1);
      JsonValue document = body.at("documents", at);
      JsonValue text = document.isObject() ? document.find("text") : document;
      if (text == null || !text.isString()) {
        throw TextBody.mistyped(
            "documents[%d]".formatted(texts.count()),
            "a string, or an object with 'text'",
            text == null ? document : text);
      }
      texts.add(text.at());
    }
    return requireSome("documents", texts);
  }

  private JsonValue requireArray(String name) {
    JsonValue array = body.required(name);
    if (!array.isArray()) {
      throw TextBody.mistyped(name, "an array of strings", array);
    }
    return array;
  }

  private static TextList requireSome(String name, TextList texts) {
    if (texts.count() == 0) {
      throw InferenceException.invalid("'%s' is empty".formatted(name));
    }
    return texts;
  }

  /** Adds a text that may not be empty. */
  static void add(TextList texts, String name, JsonValue value) {
    if (value.isNumber() || value.isArray()) {
      // They come from a tokenizer of the client's, which is another than the model's.
      throw InferenceException.invalid(
          ("'%s' has token ids, and this server takes texts, which the model's own tokenizer reads."
                  + " Of LangChain's OpenAIEmbeddings, set check_embedding_ctx_length=False")
              .formatted(name));
    }
    if (!value.isString()) {
      throw TextBody.mistyped(name, "a string or an array of strings", value);
    }
    if (texts.add(value.at()) == 0) {
      throw InferenceException.invalid("'%s' has an empty text".formatted(name));
    }
  }

  /** Those of the parameters that the client gives. */
  private Map<String, Parameter> parameters(String... names) {
    Map<String, Parameter> parameters = new HashMap<>();
    for (String name : names) {
      switch (name) {
        case PROMPT ->
            body.string(name).ifPresent(text -> parameters.put(name, new Parameter.OfString(text)));
        case DIRECTION ->
            body.string(name)
                .ifPresent(text -> parameters.put(name, new Parameter.OfString(direction(text))));
        case DIMENSIONS -> {
          OptionalLong dimensions = body.count(name);
          if (dimensions.isPresent()) {
            parameters.put(name, new Parameter.OfLong(dimensions.getAsLong()));
          }
        }
        default ->
            body.flag(name).ifPresent(flag -> parameters.put(name, new Parameter.OfBoolean(flag)));
      }
    }
    return parameters;
  }

  private static String direction(String text) {
    return switch (text) {
      case "Left", "left" -> "left";
      case "Right", "right" -> "right";
      default ->
          throw InferenceException.invalid(
              "'%s' must be \"Left\" or \"Right\", and is \"%s\"".formatted(DIRECTION, text));
    };
  }
}
