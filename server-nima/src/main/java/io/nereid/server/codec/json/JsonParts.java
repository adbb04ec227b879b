package io.nereid.server.codec.json;

import io.nereid.server.codec.ByteSink;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * A response that is written whole, or part by part, so that only one part of its text exists at a
 * time. Made of pieces, which are written one after another. Tensors are borrowed until the last
 * part is written. For one thread at a time.
 */
public final class JsonParts {
  /** The room that {@link #writeNext} wants behind the end of a part. */
  public static final int SLACK = 32 << 10;

  /** Writes until the end of a part is reached. */
  public interface Piece {
    /**
     * Writes what is left, or up to about {@code end} bytes of the sink.
     *
     * @return whether nothing is left
     */
    boolean write(ByteSink sink, int end);
  }

  private final Queue<Piece> pieces = new ArrayDeque<>();

  /** Adds a short text. */
  public JsonParts text(Consumer<ByteSink> writer) {
    pieces.add((sink, _) -> {
      writer.accept(sink);
      return true;
    });
    return this;
  }

  /**
   * Adds the elements of a tensor, separated by commas.
   *
   * @throws io.nereid.error.InferenceException as {@link JsonDataWriter#check} does
   */
  JsonParts elements(Tensor tensor) {
    JsonDataWriter.check(tensor);
    pieces.add(new JsonElements(tensor));
    return this;
  }

  /** Adds a piece. */
  public JsonParts piece(Piece piece) {
    pieces.add(piece);
    return this;
  }

  /** Adds bytes as they are. */
  public JsonParts bytes(MemorySegment bytes) {
    pieces.add(
        new Piece() {
          private long offset;

          @Override
          public boolean write(ByteSink sink, int end) {
            long size = Math.min(bytes.byteSize() - offset, end - sink.size());
            sink.put(bytes.asSlice(offset, size));
            offset += size;
            return offset == bytes.byteSize();
          }
        });
    return this;
  }

  /** Writes all that is left. */
  public void writeAll(ByteSink sink) {
    var _ = writeNext(sink, Integer.MAX_VALUE);
  }

  /**
   * Writes the next part.
   *
   * @param end the size of the sink at which the part ends, exceeded by {@link #SLACK} at most but
   *     for short texts
   * @return whether more is left
   */
  public boolean writeNext(ByteSink sink, int end) {
    for (Piece next = pieces.peek(); next != null && sink.size() < end; next = pieces.peek()) {
      if (next.write(sink, end)) {
        pieces.remove();
      }
    }
    return !pieces.isEmpty();
  }
}
