package io.nereid.server.codec.json.text;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.FloatDigits;
import io.nereid.server.codec.json.JsonParts;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.util.Base64;

/** The vectors of a response, as a piece of {@link JsonParts}, with commas between them. */
final class VectorRows implements JsonParts.Piece {
  /** How each vector is written. */
  enum Form {
    /** An array alone. */
    ARRAY,
    /** An array in an object of OpenAI's. */
    OBJECT,
    /** Base64 of its bytes in an object of OpenAI's. */
    BASE64
  }

  /** Floats that are written at once. */
  private static final int STEP = 64;

  private static final int MAX_FLOAT = FloatDigits.MAX_LENGTH + 1;

  /** Bytes that become base64 at once: no padding between two steps. */
  private static final int BYTES_STEP = 3 << 10;

  private final MemorySegment data;
  private final int rows;
  private final long rowSize;
  private final Form form;
  private int row;

  /** Where the next bytes of the present row are; 0 before its beginning is written. */
  private long offset;

  /**
   * @param data FP32, of {@code rows} vectors
   */
  VectorRows(MemorySegment data, int rows, Form form) {
    this.data = data;
    this.rows = rows;
    this.rowSize = data.byteSize() / rows;
    this.form = form;
  }

  @Override
  public boolean write(ByteSink sink, int end) {
    while (row < rows && sink.size() < end) {
      if (offset == 0) {
        begin(sink);
      }
      if (form == Form.BASE64) {
        writeBase64(sink);
      } else {
        writeFloats(sink);
      }
      if (offset == rowSize) {
        sink.putAscii(
            switch (form) {
              case ARRAY -> "]";
              case OBJECT -> "]}";
              case BASE64 -> "\"}";
            });
        offset = 0;
        row++;
      }
    }
    return row == rows;
  }

  private void begin(ByteSink sink) {
    if (row > 0) {
      sink.put(',');
    }
    if (form == Form.ARRAY) {
      sink.put('[');
      return;
    }
    sink.putAscii("{\"object\":\"embedding\",\"index\":");
    sink.putLong(row);
    sink.putAscii(form == Form.BASE64 ? ",\"embedding\":\"" : ",\"embedding\":[");
  }

  private void writeFloats(ByteSink sink) {
    int count = (int) Math.min(STEP, (rowSize - offset) / Float.BYTES);
    byte[] target = sink.reserve((long) count * MAX_FLOAT);
    int next = sink.size();
    for (int i = 0; i < count; i++) {
      if (offset > 0) {
        target[next++] = ',';
      }
      next = FloatDigits.put(target, next, data.get(Elements.FLOAT, row * rowSize + offset));
      offset += Float.BYTES;
    }
    sink.fillTo(next);
  }

  private void writeBase64(ByteSink sink) {
    int count = (int) Math.min(BYTES_STEP, rowSize - offset);
    byte[] source = new byte[count];
    MemorySegment.copy(data, Elements.BYTE, row * rowSize + offset, source, 0, count);
    byte[] encoded = Base64.getEncoder().encode(source);
    byte[] target = sink.reserve(encoded.length);
    System.arraycopy(encoded, 0, target, sink.size(), encoded.length);
    sink.fillTo(sink.size() + encoded.length);
    offset += count;
  }
}
