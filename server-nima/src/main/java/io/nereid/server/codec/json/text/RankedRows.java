package io.nereid.server.codec.json.text;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.JsonParts;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The results of a rerank, as a piece of {@link JsonParts}, with commas between them. */
final class RankedRows implements JsonParts.Piece {
  /** The bytes of a text that are written at once. */
  private static final int STEP = 8 << 10;

  private final MemorySegment scores;
  private final int[] order;
  private final int count;
  private final String score;
  private final String before;
  private final String behind;
  private final @Nullable TextList texts;
  private int row;

  /** What is left of the text of the present row; null before that row is begun. */
  private @Nullable MemorySegment text;

  private RankedRows(
      MemorySegment scores,
      long most,
      String score,
      String before,
      String behind,
      @Nullable TextList texts) {
    this.scores = scores;
    this.order = Scores.order(scores, 0, (int) (scores.byteSize() / Float.BYTES));
    this.count = (int) Math.min(most, order.length);
    this.score = score;
    this.before = before;
    this.behind = behind;
    this.texts = texts;
  }

  /** As Cohere, Jina, vLLM and OVMS have them: the document is an object. */
  static RankedRows of(MemorySegment scores, TextAnswer.Ranking answer) {
    return new RankedRows(
        scores,
        answer.most(),
        ",\"relevance_score\":",
        ",\"document\":{\"text\":",
        "}}",
        answer.documents());
  }

  /** As TEI has them. */
  static RankedRows of(MemorySegment scores, TextAnswer.TeiRanking answer) {
    return new RankedRows(scores, Long.MAX_VALUE, ",\"score\":", ",\"text\":", "}", answer.texts());
  }

  @Override
  public boolean write(ByteSink sink, int end) {
    while (row < count && sink.size() < end) {
      MemorySegment left = text;
      if (left == null) {
        left = begin(sink);
      }
      long size = Math.min(STEP, left.byteSize());
      sink.put(left.asSlice(0, size));
      text = left.asSlice(size);
      if (size == left.byteSize()) {
        sink.putAscii(texts == null ? "}" : behind);
        text = null;
        row++;
      }
    }
    return row == count;
  }

  /** Writes a row up to its text, and returns that. */
  private MemorySegment begin(ByteSink sink) {
    sink.putAscii(row == 0 ? "{\"index\":" : ",{\"index\":");
    sink.putLong(order[row]);
    sink.putAscii(score);
    ResponseText.putFloat(sink, Scores.at(scores, order[row]));
    if (texts == null) {
      return MemorySegment.NULL;
    }
    sink.putAscii(before);
    return texts.json(order[row]);
  }
}
