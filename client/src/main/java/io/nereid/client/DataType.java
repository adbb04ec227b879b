package io.nereid.client;

/** The data types of the v2 protocol, with its names. */
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
  /** Strings of bytes of any length: each is preceded by its length in four bytes. */
  BYTES(0),
  /** The upper half of an FP32. */
  BF16(2);

  private final int byteSize;

  DataType(int byteSize) {
    this.byteSize = byteSize;
  }

  /** The bytes of one element; 0 for {@link #BYTES}, whose elements differ. */
  public int byteSize() {
    return byteSize;
  }
}
