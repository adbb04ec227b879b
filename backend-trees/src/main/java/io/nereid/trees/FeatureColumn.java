package io.nereid.trees;

import io.nereid.error.InferenceException;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import io.nereid.trees.forest.Categories;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The values of one feature as a request has them: numbers, or categories as the file stores them.
 */
final class FeatureColumn {
  /** The categories that a message names. */
  private static final int MAX_NAMED = 20;

  /** The characters that a message shows of a category that a client has sent. */
  private static final int MAX_SHOWN = 100;

  private final String name;
  private final List<String> categories;
  private final Map<String, Integer> ofTexts = new HashMap<>();
  private final Map<Double, Integer> ofNumbers = new HashMap<>();

  /**
   * @param stored empty if the values are numbers for the trees
   */
  FeatureColumn(String name, Optional<Categories> stored) {
    this.name = name;
    categories = stored.map(Categories::texts).orElse(List.of());
    for (int code = 0; code < categories.size(); code++) {
      String text = categories.get(code);
      ofTexts.putIfAbsent(text, code);
      if (stored.orElseThrow().areNumbers()) {
        ofNumbers.putIfAbsent(Double.parseDouble(text) + 0.0, code); // -0.0 is 0.0
      }
    }
  }

  String name() {
    return name;
  }

  /** A receiver of the value of each row; NaN if it is missing. */
  @FunctionalInterface
  interface Values {
    void set(long row, double value);
  }

  /** A receiver of categories that the model does not know. */
  @FunctionalInterface
  interface Unknown {
    void add(long row, String category);
  }

  /** Whether values of a type are numbers that this reads. */
  static boolean isNumber(DataType type) {
    return switch (type) {
      case BYTES, FP16, BF16 -> false;
      case BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64, FP32, FP64 -> true;
    };
  }

  /**
   * Reads a tensor.
   *
   * @param unknown also gives the row no value
   */
  void read(Tensor tensor, Values values, Unknown unknown) {
    long rows = tensor.shape().elementCount();
    if (tensor.dataType() == DataType.BYTES) {
      readTexts(tensor.data(), rows, values, unknown);
      return;
    }
    for (long row = 0; row < rows; row++) {
      double value = number(tensor.dataType(), tensor.data(), row);
      if (!ofNumbers.isEmpty() && !Double.isNaN(value)) {
        Integer code = ofNumbers.get(value + 0.0);
        if (code == null) {
          unknown.add(
              row,
              value == Math.rint(value) ? String.format(Locale.ROOT, "%.0f", value) : "" + value);
        }
        value = code == null ? Double.NaN : code;
      }
      values.set(row, value);
    }
  }

  private void readTexts(MemorySegment data, long rows, Values values, Unknown unknown) {
    long offset = 0;
    for (long row = 0; row < rows; row++) {
      int length = Math.toIntExact(BytesElements.lengthAt(data, offset));
      offset += BytesElements.PREFIX;
      byte[] bytes = new byte[length];
      MemorySegment.copy(data, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
      offset += length;
      var text = new String(bytes, StandardCharsets.UTF_8);
      Integer code = ofTexts.get(text);
      if (code == null && !text.isEmpty()) {
        unknown.add(row, text);
      }
      values.set(row, code == null ? Double.NaN : code);
    }
  }

  private static double number(DataType type, MemorySegment data, long index) {
    return switch (type) {
      case BOOL, UINT8 -> data.get(Elements.BYTE, index) & 0xFF;
      case UINT16 -> data.get(Elements.SHORT, index * Short.BYTES) & 0xFFFF;
      case UINT32 -> Integer.toUnsignedLong(data.get(Elements.INT, index * Integer.BYTES));
      case UINT64 -> unsigned(data.get(Elements.LONG, index * Long.BYTES));
      case INT8 -> data.get(Elements.BYTE, index);
      case INT16 -> data.get(Elements.SHORT, index * Short.BYTES);
      case INT32 -> data.get(Elements.INT, index * Integer.BYTES);
      case INT64 -> data.get(Elements.LONG, index * Long.BYTES);
      case FP32 -> data.get(Elements.FLOAT, index * Float.BYTES);
      case FP64 -> data.get(Elements.DOUBLE, index * Double.BYTES);
      case BYTES, FP16, BF16 -> throw new IllegalStateException(type.name());
    };
  }

  private static double unsigned(long value) {
    return value >= 0 ? value : (value >>> 1) * 2.0;
  }

  /** The failure of a request with a category that the model does not know. */
  InferenceException unknown(long row, String category) {
    String known = String.join(", ", categories.stream().limit(MAX_NAMED).toList());
    String shown =
        category.length() <= MAX_SHOWN ? category : category.substring(0, MAX_SHOWN) + "…";
    return InferenceException.invalid(
        "input '%s', row %d: the category '%s' is unknown, which must be one of %s%s"
            .formatted(name, row, shown, known, categories.size() > MAX_NAMED ? ", ..." : ""));
  }
}
