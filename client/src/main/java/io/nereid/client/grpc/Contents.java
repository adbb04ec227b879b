package io.nereid.client.grpc;

import com.google.protobuf.ByteString;
import io.nereid.client.DataType;
import io.nereid.protocol.inference.InferTensorContents;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** TensorBytes of tensors one by one, as servers send them that send no raw bytes. */
final class Contents {
  private Contents() {}

  /**
   * The elements as a tensor has them.
   *
   * @throws IllegalArgumentException for a type whose elements only travel as bytes
   */
  static ByteBuffer data(DataType dataType, InferTensorContents contents) {
    if (dataType == DataType.BYTES) {
      return strings(contents);
    }
    int count = count(dataType, contents);
    ByteBuffer data =
        ByteBuffer.allocate(Math.multiplyExact(count, dataType.byteSize()))
            .order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      switch (dataType) {
        case BOOL -> data.put((byte) (contents.getBoolContents(i) ? 1 : 0));
        case INT8 -> data.put((byte) contents.getIntContents(i));
        case UINT8 -> data.put((byte) contents.getUintContents(i));
        case INT16 -> data.putShort((short) contents.getIntContents(i));
        case UINT16 -> data.putShort((short) contents.getUintContents(i));
        case INT32 -> data.putInt(contents.getIntContents(i));
        case UINT32 -> data.putInt(contents.getUintContents(i));
        case INT64 -> data.putLong(contents.getInt64Contents(i));
        case UINT64 -> data.putLong(contents.getUint64Contents(i));
        case FP32 -> data.putFloat(contents.getFp32Contents(i));
        case FP64 -> data.putDouble(contents.getFp64Contents(i));
        case FP16, BF16, BYTES -> throw new AssertionError("have no count");
      }
    }
    return data.flip();
  }

  private static int count(DataType dataType, InferTensorContents contents) {
    return switch (dataType) {
      case BOOL -> contents.getBoolContentsCount();
      case INT8, INT16, INT32 -> contents.getIntContentsCount();
      case UINT8, UINT16, UINT32 -> contents.getUintContentsCount();
      case INT64 -> contents.getInt64ContentsCount();
      case UINT64 -> contents.getUint64ContentsCount();
      case FP32 -> contents.getFp32ContentsCount();
      case FP64 -> contents.getFp64ContentsCount();
      case FP16, BF16, BYTES ->
          throw new IllegalArgumentException(dataType + " has no elements of its own");
    };
  }

  private static ByteBuffer strings(InferTensorContents contents) {
    long size = 0;
    for (ByteString each : contents.getBytesContentsList()) {
      size += Integer.BYTES + each.size();
    }
    ByteBuffer data = ByteBuffer.allocate(Math.toIntExact(size)).order(ByteOrder.LITTLE_ENDIAN);
    for (ByteString each : contents.getBytesContentsList()) {
      data.putInt(each.size());
      each.copyTo(data);
    }
    return data.flip();
  }
}
