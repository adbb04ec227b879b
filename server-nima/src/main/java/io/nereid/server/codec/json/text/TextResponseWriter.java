package io.nereid.server.codec.json.text;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.JsonParts;
import io.nereid.server.codec.json.document.JsonText;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * A writer of the responses of the text APIs. Borrows the response and the body's texts until the
 * last part is written.
 *
 * @param response of the model, with the outputs that the answer asks for
 * @param texts how many were sent
 */
public record TextResponseWriter(ServedTextModel model, InferenceResponse response, int texts) {
  /** Documents that Cohere counts as one search. */
  private static final int SEARCH_UNIT = 100;

  /** About how many bytes of JSON a byte of an output takes. */
  private static final int FLOAT_CHARACTERS = 3;

  /** About how many bytes are written for a text, besides the numbers. */
  private static final int ROW_FRAME = 48;

  /**
   * A response, to be written whole or part by part.
   *
   * @throws InferenceException INTERNAL if the model gave no numbers
   */
  public JsonParts parts(TextAnswer answer) {
    return switch (answer) {
      case TextAnswer.Embeddings(boolean isBase64) -> embeddings(isBase64);
      case TextAnswer.Vectors() ->
          new JsonParts()
              .text(sink -> sink.put('['))
              .piece(new VectorRows(numbers(), texts, VectorRows.Form.ARRAY))
              .text(sink -> sink.put(']'));
      case TextAnswer.Ranking ranking -> ranking(ranking);
      case TextAnswer.TeiRanking ranking ->
          new JsonParts()
              .text(sink -> sink.put('['))
              .piece(RankedRows.of(numbers(), ranking))
              .text(sink -> sink.put(']'));
      case TextAnswer.Classes() -> classes();
      case TextAnswer.Predictions(boolean isSingle) -> predictions(isSingle);
      case TextAnswer.Tokens() -> tokens();
    };
  }

  /** About how many bytes {@link #parts} have, texts of the request among them. */
  public long expectedSize(long textBytes) {
    return FLOAT_CHARACTERS * outputBytes() + (long) ROW_FRAME * texts + textBytes;
  }

  /** The memory that the parts keep until they are written, without texts of the request. */
  public long outputBytes() {
    return response.outputs().stream().mapToLong(Tensor::byteSize).sum();
  }

  private JsonParts embeddings(boolean isBase64) {
    var form = isBase64 ? VectorRows.Form.BASE64 : VectorRows.Form.OBJECT;
    return new JsonParts()
        .text(sink -> sink.putAscii("{\"object\":\"list\",\"data\":["))
        .piece(new VectorRows(numbers(), texts, form))
        .text(sink -> {
          sink.putAscii("],\"model\":");
          JsonText.putString(sink, model.name());
          sink.put(',');
          ResponseText.putUsage(sink, tokenCount());
          sink.put('}');
        });
  }

  private JsonParts ranking(TextAnswer.Ranking answer) {
    return new JsonParts()
        .text(sink -> {
          sink.put('{');
          ResponseText.putIdentity(sink, "rerank", model.name());
          sink.putAscii(",\"results\":[");
        })
        .piece(RankedRows.of(numbers(), answer))
        .text(sink -> {
          sink.putAscii("],");
          ResponseText.putUsage(sink, tokenCount());
          sink.putAscii(
              ",\"meta\":{\"api_version\":{\"version\":\"2\"},\"billed_units\":{\"search_units\":");
          sink.putLong((texts + SEARCH_UNIT - 1) / SEARCH_UNIT);
          sink.putAscii("},\"tokens\":{\"input_tokens\":");
          sink.putLong(tokenCount());
          sink.putAscii(",\"output_tokens\":0}}}");
        });
  }

  private JsonParts classes() {
    MemorySegment scores = numbers();
    var parts = new JsonParts();
    parts.text(sink -> {
      sink.put('{');
      ResponseText.putIdentity(sink, "classify", model.name());
      sink.putAscii(",\"object\":\"list\",\"created\":");
      sink.putLong(TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));
      sink.putAscii(",\"data\":[");
    });
    parts.piece(new ClassRows(scores, texts, this::putClass));
    return parts.text(sink -> {
      sink.putAscii("],");
      ResponseText.putUsage(sink, tokenCount());
      sink.put('}');
    });
  }

  private void putClass(ByteSink sink, MemorySegment scores, int row, int count) {
    sink.putAscii("{\"index\":");
    sink.putLong(row);
    sink.putAscii(",\"label\":");
    JsonText.putString(sink, model.label(Scores.order(scores, (long) row * count, count)[0]));
    sink.putAscii(",\"probs\":[");
    for (int i = 0; i < count; i++) {
      if (i > 0) {
        sink.put(',');
      }
      ResponseText.putFloat(sink, Scores.at(scores, (long) row * count + i));
    }
    sink.putAscii("],\"num_classes\":");
    sink.putLong(count);
    sink.put('}');
  }

  private JsonParts predictions(boolean isSingle) {
    var rows = new ClassRows(numbers(), texts, this::putPrediction);
    if (isSingle) {
      return new JsonParts().piece(rows);
    }
    return new JsonParts().text(sink -> sink.put('[')).piece(rows).text(sink -> sink.put(']'));
  }

  private void putPrediction(ByteSink sink, MemorySegment scores, int row, int count) {
    char separator = '[';
    for (int index : Scores.order(scores, (long) row * count, count)) {
      sink.put(separator);
      separator = ',';
      sink.putAscii("{\"score\":");
      ResponseText.putFloat(sink, Scores.at(scores, (long) row * count + index));
      sink.putAscii(",\"label\":");
      JsonText.putString(sink, model.label(index));
      sink.put('}');
    }
    sink.put(']');
  }

  /** The arrays of the model, which are JSON already. */
  private JsonParts tokens() {
    MemorySegment data = output(ServedTextModel.TOKENIZATION).data();
    var parts = new JsonParts().text(sink -> sink.put('['));
    long count =
        BytesElements.forEach(
            data,
            (offset, byteSize) -> {
              if (offset > BytesElements.PREFIX) {
                parts.text(sink -> sink.put(','));
              }
              parts.bytes(data.asSlice(offset, byteSize));
            });
    if (count != texts) {
      throw wrongSize();
    }
    return parts.text(sink -> sink.put(']'));
  }

  /** The numbers of the task's output, at least one for each text; one of a rerank. */
  private MemorySegment numbers() {
    MemorySegment data = output(model.task().output()).data();
    long count = data.byteSize() / Float.BYTES;
    boolean isRerank = model.task() == TextTask.RERANK;
    if (count == 0 || (isRerank ? count != texts : count % texts != 0)) {
      throw wrongSize();
    }
    for (long i = 0; i < count; i++) {
      if (!Float.isFinite(Scores.at(data, i))) {
        throw InferenceException.internal(
            "model '%s' gave %s for text %d, which JSON has no number for"
                .formatted(model.name(), Scores.at(data, i), i / (count / texts)));
      }
    }
    return data;
  }

  private long tokenCount() {
    MemorySegment counts = output(ServedTextModel.TOKENS).data();
    long sum = 0;
    for (long at = 0; at < counts.byteSize(); at += Integer.BYTES) {
      sum += counts.get(Elements.INT, at);
    }
    return sum;
  }

  private Tensor output(String name) {
    return response.output(name).orElseThrow(this::wrongSize);
  }

  private InferenceException wrongSize() {
    return InferenceException.internal(
        "model '%s' did not give %s for each of %d texts"
            .formatted(model.name(), model.task().output(), texts));
  }
}
