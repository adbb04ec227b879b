package io.nereid.server.codec.protobuf;

import com.google.protobuf.ByteString;
import io.nereid.error.InferenceException;
import io.nereid.server.memory.Lease;
import io.nereid.server.memory.LeaseSource;
import io.nereid.server.protobuf.InferTensorContents;
import io.nereid.server.protobuf.ModelInferRequest.InferInputTensor;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.ToIntFunction;

/** A reader of tensor data in {@code InferTensorContents}, which it copies into packed form. */
final class TypedContents {
  /** A field of the message; the first of its types is the one that error texts name. */
  private record Field(ToIntFunction<InferTensorContents> count, List<DataType> types) {}

  private static final List<Field> FIELDS =
      List.of(
          new Field(InferTensorContents::getBoolContentsCount, List.of(DataType.BOOL)),
          new Field(
              InferTensorContents::getIntContentsCount,
              List.of(DataType.INT32, DataType.INT8, DataType.INT16)),
          new Field(InferTensorContents::getInt64ContentsCount, List.of(DataType.INT64)),
          new Field(
              InferTensorContents::getUintContentsCount,
              List.of(DataType.UINT32, DataType.UINT8, DataType.UINT16)),
          new Field(InferTensorContents::getUint64ContentsCount, List.of(DataType.UINT64)),
          new Field(InferTensorContents::getFp32ContentsCount, List.of(DataType.FP32)),
          new Field(InferTensorContents::getFp64ContentsCount, List.of(DataType.FP64)),
          new Field(InferTensorContents::getBytesContentsCount, List.of(DataType.BYTES)));

  private TypedContents() {}

  /**
   * Reads the field for {@code type}.
   *
   * @return a lease that becomes the caller's
   * @throws InferenceException INVALID_ARGUMENT if another field has elements
   */
  static Lease read(InferInputTensor input, DataType type, String model, LeaseSource pool) {
    InferTensorContents contents = input.getContents();
    checkFields(input, contents, type, model);
    Lease lease = pool.lease(byteSize(contents, type));
    fill(lease.segment(), contents, type);
    return lease;
  }

  private static void checkFields(
      InferInputTensor input, InferTensorContents contents, DataType type, String model) {
    boolean filled = false;
    for (Field field : FIELDS) {
      if (field.count.applyAsInt(contents) > 0) {
        if (filled) {
          throw InferenceException.invalid(
              ("unexpected explicit tensor data for input tensor '%s' for model '%s', binary data"
                      + " was already supplied.")
                  .formatted(input.getName(), model));
        }
        if (!field.types.contains(type)) {
          throw InferenceException.invalid(
              ("unexpected explicit tensor data for input tensor '%s' for model '%s' of type '%s',"
                      + " expected datatype '%s'")
                  .formatted(input.getName(), model, field.types.getFirst(), type));
        }
        filled = true;
      }
    }
  }

  private static long byteSize(InferTensorContents contents, DataType type) {
    long byteSize = 0;
    if (type == DataType.BYTES) {
      for (ByteString element : contents.getBytesContentsList()) {
        byteSize += BytesElements.PREFIX + (long) element.size();
      }
    } else {
      for (Field field : FIELDS) {
        byteSize += (long) field.count.applyAsInt(contents) * type.byteSize();
      }
    }
    return byteSize;
  }

  private static void fill(MemorySegment target, InferTensorContents contents, DataType type) {
    switch (type) {
      case BOOL -> {
        for (int i = 0; i < contents.getBoolContentsCount(); i++) {
          target.set(Elements.BYTE, i, (byte) (contents.getBoolContents(i) ? 1 : 0));
        }
      }
      case INT8 -> {
        for (int i = 0; i < contents.getIntContentsCount(); i++) {
          target.set(Elements.BYTE, i, (byte) contents.getIntContents(i));
        }
      }
      case UINT8 -> {
        for (int i = 0; i < contents.getUintContentsCount(); i++) {
          target.set(Elements.BYTE, i, (byte) contents.getUintContents(i));
        }
      }
      case INT16 -> {
        for (int i = 0; i < contents.getIntContentsCount(); i++) {
          target.set(Elements.SHORT, 2L * i, (short) contents.getIntContents(i));
        }
      }
      case UINT16 -> {
        for (int i = 0; i < contents.getUintContentsCount(); i++) {
          target.set(Elements.SHORT, 2L * i, (short) contents.getUintContents(i));
        }
      }
      case INT32 -> {
        for (int i = 0; i < contents.getIntContentsCount(); i++) {
          target.set(Elements.INT, 4L * i, contents.getIntContents(i));
        }
      }
      case UINT32 -> {
        for (int i = 0; i < contents.getUintContentsCount(); i++) {
          target.set(Elements.INT, 4L * i, contents.getUintContents(i));
        }
      }
      case INT64 -> {
        for (int i = 0; i < contents.getInt64ContentsCount(); i++) {
          target.set(Elements.LONG, 8L * i, contents.getInt64Contents(i));
        }
      }
      case UINT64 -> {
        for (int i = 0; i < contents.getUint64ContentsCount(); i++) {
          target.set(Elements.LONG, 8L * i, contents.getUint64Contents(i));
        }
      }
      case FP32 -> {
        for (int i = 0; i < contents.getFp32ContentsCount(); i++) {
          target.set(Elements.FLOAT, 4L * i, contents.getFp32Contents(i));
        }
      }
      case FP64 -> {
        for (int i = 0; i < contents.getFp64ContentsCount(); i++) {
          target.set(Elements.DOUBLE, 8L * i, contents.getFp64Contents(i));
        }
      }
      case BYTES -> {
        long offset = 0;
        for (ByteString element : contents.getBytesContentsList()) {
          offset = BytesElements.put(target, offset, element.toByteArray());
        }
      }
      case FP16, BF16 -> {} // no field can hold them
    }
  }
}
