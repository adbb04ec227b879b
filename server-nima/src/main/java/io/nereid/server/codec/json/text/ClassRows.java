package io.nereid.server.codec.json.text;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.JsonParts;
import java.lang.foreign.MemorySegment;

/** The classes of texts, as a piece of {@link JsonParts}, with commas between them. */
final class ClassRows implements JsonParts.Piece {
  /** Writes the classes of a text. */
  interface RowWriter {
    /**
     * Writes them.
     *
     * @param scores of all texts
     * @param count of the classes
     */
    void put(ByteSink sink, MemorySegment scores, int row, int count);
  }

  private final MemorySegment scores;
  private final int rows;
  private final RowWriter writer;
  private int row;

  /**
   * @param scores FP32, the same number for each row
   */
  ClassRows(MemorySegment scores, int rows, RowWriter writer) {
    this.scores = scores;
    this.rows = rows;
    this.writer = writer;
  }

  @Override
  public boolean write(ByteSink sink, int end) {
    int count = (int) (scores.byteSize() / Float.BYTES / rows);
    while (row < rows && sink.size() < end) {
      if (row > 0) {
        sink.put(',');
      }
      writer.put(sink, scores, row, count);
      row++;
    }
    return row == rows;
  }
}
