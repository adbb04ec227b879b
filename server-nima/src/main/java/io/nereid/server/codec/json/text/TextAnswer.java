package io.nereid.server.codec.json.text;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What becomes of a model's outputs in the response of an API. */
public sealed interface TextAnswer {
  /**
   * OpenAI's embeddings.
   *
   * @param isBase64 whether vectors are the base64 of little-endian floats, else arrays
   */
  record Embeddings(boolean isBase64) implements TextAnswer {}

  /** TEI's embeddings: arrays in an array. */
  record Vectors() implements TextAnswer {}

  /**
   * Documents, the best first, as Cohere, Jina, vLLM and OVMS have them.
   *
   * @param most how many at most
   * @param documents to be sent with them; null for none
   */
  record Ranking(long most, @Nullable TextList documents) implements TextAnswer {}

  /**
   * Texts, the best first, as TEI has them.
   *
   * @param texts to be sent with them; null for none
   */
  record TeiRanking(@Nullable TextList texts) implements TextAnswer {}

  /** The best class and the scores of all, as vLLM has them. */
  record Classes() implements TextAnswer {}

  /**
   * All classes, the best first, as TEI has them.
   *
   * @param isSingle whether the answer is for one input, and not an array of answers
   */
  record Predictions(boolean isSingle) implements TextAnswer {}

  /** The tokens of each text, as TEI has them. */
  record Tokens() implements TextAnswer {}

  /** Whether the response has texts of the request. */
  default boolean needsBody() {
    return switch (this) {
      case Ranking(_, TextList documents) -> documents != null;
      case TeiRanking(TextList texts) -> texts != null;
      case Embeddings(_), Vectors(), Classes(), Predictions(_), Tokens() -> false;
    };
  }

  /** The outputs that the model is asked for. */
  default List<String> outputs(ServedTextModel model) {
    return this instanceof Tokens
        ? List.of(ServedTextModel.TOKENIZATION)
        : List.of(model.task().output(), ServedTextModel.TOKENS);
  }
}
