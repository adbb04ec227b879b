package io.nereid.server.codec.json;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** The elements of a tensor, checked before, as a piece of {@link JsonParts}. */
final class JsonElements implements JsonParts.Piece {
  /** The bytes of a string that are written at once; each may take six as an escape. */
  private static final int STRING_STEP = 4 << 10;

  private final Tensor tensor;
  private final long count;

  /** The elements that are written, not counting a string that is begun. */
  private long index;

  /** Where the next bytes of a tensor of strings are. */
  private long offset;

  /** The bytes that are left of the string that is begun. */
  private long left;

  private boolean inString;

  JsonElements(Tensor tensor) {
    this.tensor = tensor;
    this.count = tensor.shape().elementCount();
  }

  @Override
  public boolean write(ByteSink sink, int end) {
    while (index < count && sink.size() < end) {
      if (tensor.dataType() == DataType.BYTES) {
        writeString(sink);
      } else {
        index = JsonDataWriter.putStep(sink, tensor, index, count);
      }
    }
    return index == count;
  }

  /** Writes a string, or the next part of a long one. */
  private void writeString(ByteSink sink) {
    MemorySegment data = tensor.data();
    if (!inString) {
      inString = true;
      left = BytesElements.lengthAt(data, offset);
      offset += BytesElements.PREFIX;
      sink.put('"');
    }
    int step = (int) Math.min(left, STRING_STEP);
    JsonText.putEscaped(sink, data, offset, step);
    offset += step;
    left -= step;
    if (left == 0) {
      inString = false;
      index++;
      sink.putAscii(index < count ? "\"," : "\"");
    }
  }
}
