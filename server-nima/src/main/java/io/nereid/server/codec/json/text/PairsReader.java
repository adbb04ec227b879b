package io.nereid.server.codec.json.text;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.document.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the inputs of TEI's {@code /predict}: a string, {@code ["s"]} or the pair {@code
 * ["s","t"]} are one input, an array of such arrays is several. For one request.
 */
final class PairsReader {
  private static final String INPUTS = "inputs";

  private final TextBody body;
  private final ServedTextModel model;
  private final TextLimits limits;
  private final TextList texts;
  private final TextList queries;

  PairsReader(TextBody body, ServedTextModel model, TextLimits limits) {
    this.body = body;
    this.model = model;
    this.limits = limits;
    this.texts = body.noTexts();
    this.queries = body.noTexts();
  }

  /** Reads the inputs; returns whether they are one. */
  boolean read(JsonValue inputs) {
    boolean isSingle = true;
    int first = inputs.isArray() ? inputs.firstElement() : -1;
    if (inputs.isString()) {
      TextRequestReader.add(texts, INPUTS, inputs);
    } else if (first >= 0 && body.at(INPUTS, first).isArray()) {
      isSingle = false;
      for (int at = first; at >= 0; at = inputs.elementAfter(at)) {
        limits.requireCount(INPUTS, texts.count() + 1);
        readOne(body.at(INPUTS, at));
      }
    } else {
      readOne(inputs);
    }
    requireSameKind();
    return isSingle;
  }

  private void readOne(JsonValue input) {
    if (!input.isArray()) {
      throw TextBody.mistyped(INPUTS, "a string, or an array of one or two", input);
    }
    int first = input.firstElement();
    int second = first < 0 ? -1 : input.elementAfter(first);
    if (first < 0 || (second >= 0 && input.elementAfter(second) >= 0)) {
      throw InferenceException.invalid(
          "an input must be one text or a pair of texts; several are [[\"a\"], [\"b\"], ...]");
    }
    if (second >= 0) {
      TextRequestReader.add(queries, INPUTS, body.at(INPUTS, first));
    }
    TextRequestReader.add(texts, INPUTS, body.at(INPUTS, second >= 0 ? second : first));
  }

  private void requireSameKind() {
    boolean arePairs = queries.count() > 0;
    if (arePairs && queries.count() < texts.count()) {
      throw InferenceException.invalid("'inputs' has texts and pairs; send them separately");
    }
    if (arePairs && !model.takesPairs()) {
      throw InferenceException.invalid(
          "'inputs' has pairs, and model '%s' takes single texts".formatted(model.name()));
    }
    if (!arePairs && model.task() == TextTask.RERANK) {
      throw InferenceException.invalid(
          "'inputs' must be pairs of a query and a text for model '%s', which reranks"
              .formatted(model.name()));
    }
  }

  TextList texts() {
    return texts;
  }

  /** Null if the inputs are no pairs. */
  @Nullable TextList queries() {
    return queries.count() > 0 ? queries : null;
  }
}
