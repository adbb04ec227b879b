package io.nereid.server.codec.protobuf;

import com.google.protobuf.ByteString;
import io.nereid.error.InferenceException;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.Lease;
import io.nereid.server.protobuf.InferTensorContents;
import io.nereid.server.protobuf.ModelInferRequest.InferInputTensor;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;

/** Tensor data in protobuf's typed fields, copied into the packed form. */
final class TypedContents {
  private TypedContents() {}

  /** Reads the one field that may hold data of {@code type}. */
  static Lease read(InferInputTensor input, DataType type, String model, BufferPool pool) {
    InferTensorContents contents = input.getContents();
    checkFields(input, contents, type, model);
    Lease lease = pool.lease(byteSize(contents, type));
    fill(lease.segment(), contents, type);
    return lease;
  }

  private static void checkFields(
      InferInputTensor input, InferTensorContents contents, DataType type, String model) {
    String expected = "";
    int filled = 0;
    if (contents.getBoolContentsCount() > 0) {
      filled++;
      expected = accepts(expected, type, DataType.BOOL);
    }
    if (contents.getIntContentsCount() > 0) {
      filled++;
      expected = accepts(expected, type, DataType.INT32, DataType.INT8, DataType.INT16);
    }
    if (contents.getInt64ContentsCount() > 0) {
      filled++;
      expected = accepts(expected, type, DataType.INT64);
    }
    if (contents.getUintContentsCount() > 0) {
      filled++;
      expected = accepts(expected, type, DataType.UINT32, DataType.UINT8, DataType.UINT16);
    }
    if (contents.getUint64ContentsCount() > 0) {
      filled++;
      expected = accepts(expected, type, DataType.UINT64);
    }
    if (contents.getFp32ContentsCount() > 0) {
      filled++;
      expected = accepts(expected, type, DataType.FP32);
    }
    if (contents.getFp64ContentsCount() > 0) {
      filled++;
      expected = accepts(expected, type, DataType.FP64);
    }
    if (contents.getBytesContentsCount() > 0) {
      filled++;
      expected = accepts(expected, type, DataType.BYTES);
    }
    if (!expected.isEmpty()) {
      throw InferenceException.invalid(
          ("unexpected explicit tensor data for input tensor '%s' for model '%s' of type '%s',"
                  + " expected datatype '%s'")
              .formatted(input.getName(), model, expected, type));
    }
    if (filled > 1) {
      throw InferenceException.invalid(
          ("unexpected explicit tensor data for input tensor '%s' for model '%s', binary data was"
                  + " already supplied.")
              .formatted(input.getName(), model));
    }
  }

  /**
   * What was wrong before, or the type that the field is for if {@code type} is none of {@code
   * accepted}.
   */
  private static String accepts(String before, DataType type, DataType... accepted) {
    for (DataType candidate : accepted) {
      if (candidate == type) {
        return before;
      }
    }
    return before.isEmpty() ? accepted[0].name() : before;
  }

  private static long byteSize(InferTensorContents contents, DataType type) {
    if (type == DataType.BYTES) {
      long byteSize = 0;
      for (ByteString element : contents.getBytesContentsList()) {
        byteSize += BytesElements.PREFIX + (long) element.size();
      }
      return byteSize;
    }
    long count =
        (long) contents.getBoolContentsCount()
            + contents.getIntContentsCount()
            + contents.getInt64ContentsCount()
            + contents.getUintContentsCount()
            + contents.getUint64ContentsCount()
            + contents.getFp32ContentsCount()
            + contents.getFp64ContentsCount();
    return count * type.byteSize();
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
      case FP16, BF16 -> {} // no field can hold them: nothing has come
    }
  }
}
