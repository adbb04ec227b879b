package io.nereid.tensor;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The element types of the Open Inference Protocol, under the names that they have on the wire. All
 * are little-endian and packed.
 */
public enum DataType {
  /** One byte, 0 or 1. */
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
  /** Byte strings of any length, in the layout of {@link BytesElements}. */
  BYTES(0),
  /** The upper 16 bits of an FP32. */
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

  /** Size of an element in bytes; 0 for {@link #BYTES}, whose elements vary in size. */
  public int byteSize() {
    return byteSize;
  }

  /** Whether all elements have the same size, so that the shape determines a tensor's size. */
  public boolean hasFixedSize() {
    return byteSize > 0;
  }

  /** The name in {@code config.pbtxt}, such as {@code TYPE_FP32}. */
  public String configName() {
    return this == BYTES ? "TYPE_STRING" : "TYPE_" + name();
  }

  /** The type with exactly that name on the wire; empty if there is none. */
  public static Optional<DataType> parse(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }
}
