package io.nereid.tensor;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The element types of the v2 protocol. The constant's name is the spelling on the wire; the
 * configuration file writes {@code TYPE_} in front of it, and {@code TYPE_STRING} for {@link
 * #BYTES}. All are little-endian and packed.
 */
public enum DataType {
  /** One byte an element: 0 or 1. */
  BOOL(1),
  UINT8(1),
  UINT16(2),
  UINT32(4),
  UINT64(8),
  INT8(1),
  INT16(2),
  INT32(4),
  INT64(8),
  /** IEEE 754 half precision. */
  FP16(2),
  FP32(4),
  FP64(8),
  /**
   * Elements of any length, each a 4-byte unsigned length and that many bytes; see {@link
   * BytesElements}.
   */
  BYTES(0),
  /** The upper half of an FP32. */
  BF16(2);

  private static final Map<String, DataType> BY_NAME = new HashMap<>();

  static {
    for (DataType type : values()) {
      BY_NAME.put(type.name(), type);
    }
  }

  private final int byteSize;

  DataType(int byteSize) {
    this.byteSize = byteSize;
  }

  /** Bytes an element; 0 for {@link #BYTES}, whose elements differ in length. */
  public int byteSize() {
    return byteSize;
  }

  /** Whether every element has {@link #byteSize()} bytes, so that a shape tells a tensor's size. */
  public boolean hasFixedSize() {
    return byteSize > 0;
  }

  /** The spelling in {@code config.pbtxt}, such as {@code TYPE_FP32}. */
  public String configName() {
    return this == BYTES ? "TYPE_STRING" : "TYPE_" + name();
  }

  /** The type of that exact, case-sensitive wire name; empty for any other text. */
  public static Optional<DataType> parse(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }
}
