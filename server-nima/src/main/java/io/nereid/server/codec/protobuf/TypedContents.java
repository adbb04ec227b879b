package io.nereid.server.codec.protobuf;

import io.nereid.engine.memory.GrowingLease;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.error.InferenceException;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tensor data as {@code InferTensorContents}: kept in wire form until the type of the tensor is
 * known, then converted to packed form, so that no element is an object. For one thread at a time.
 */
final class TypedContents implements AutoCloseable {
  /** The types that error texts name, by the number of their field. */
  private static final DataType[] NAMED = {
    DataType.BOOL, // no field has the number 0
    DataType.BOOL,
    DataType.INT32,
    DataType.INT64,
    DataType.UINT32,
    DataType.UINT64,
    DataType.FP32,
    DataType.FP64,
    DataType.BYTES
  };

  private static final int NONE = 0;
  private static final int FP32 = 6;
  private static final int FP64 = 7;
  private static final int BYTES = 8;

  private final long maxByteSize;
  private final GrowingLease growing;

  /** Null while contents are added. */
  private @Nullable Lease wire;

  /** Elements by the number of their field. */
  private final long[] counts = new long[NAMED.length];

  /** Of all elements of {@code bytes_contents} in packed form. */
  private long bytesSize;

  /**
   * @param maxByteSize of the wire form
   * @param expected bytes of it
   */
  TypedContents(LeaseSource pool, long maxByteSize, long expected) {
    this.maxByteSize = maxByteSize;
    this.growing = GrowingLease.upTo(pool, 0, maxByteSize, Math.clamp(expected, 1, maxByteSize));
  }

  /** Adds a message that is next in an input: to merge messages is to join their wire forms. */
  void add(ProtoInput input, long length) {
    if (length > maxByteSize - growing.filled()) {
      throw InferenceException.invalid(
          "the contents of an input have more than %d bytes; raw_input_contents may have more"
              .formatted(maxByteSize));
    }
    input.readInto(growing, length);
  }

  /** Bytes in wire form. */
  long byteSize() {
    return growing.filled();
  }

  MemorySegment wire() {
    Lease finished = wire;
    if (finished == null) {
      finished = growing.finish();
      wire = finished;
    }
    return finished.segment();
  }

  private static ProtoInput open(MemorySegment wire) {
    return ProtoInput.of(wire.asByteBuffer());
  }

  /**
   * Converts the field for {@code type}.
   *
   * @return a lease that becomes the caller's
   * @throws InferenceException INVALID_ARGUMENT if the contents are malformed, or another field has
   *     elements
   */
  Lease read(String input, DataType type, String model, LeaseSource pool) {
    MemorySegment message = wire();
    count();
    int field = field(type);
    requireOnly(field, input, type, model);
    Lease lease = pool.lease(type == DataType.BYTES ? bytesSize : counts[field] * type.byteSize());
    try {
      fill(message, field, lease.segment(), type.byteSize());
      return lease;
    } catch (RuntimeException | Error failure) {
      lease.close();
      throw failure;
    }
  }

  /** The field that holds elements of a type. */
  private static int field(DataType type) {
    return switch (type) {
      case BOOL -> 1;
      case INT8, INT16, INT32 -> 2;
      case INT64 -> 3;
      case UINT8, UINT16, UINT32 -> 4;
      case UINT64 -> 5;
      case FP32 -> FP32;
      case FP64 -> FP64;
      case BYTES -> BYTES;
      case FP16, BF16 -> NONE;
    };
  }

  /** How an element of a field is written by itself. */
  private static int wireType(int field) {
    return switch (field) {
      case FP32 -> ProtoInput.FIXED32;
      case FP64 -> ProtoInput.FIXED64;
      case BYTES -> ProtoInput.LENGTH_DELIMITED;
      default -> ProtoInput.VARINT;
    };
  }

  /**
   * Counts the elements of each field.
   *
   * @throws InferenceException INVALID_ARGUMENT if the contents are malformed
   */
  void count() {
    Arrays.fill(counts, 0);
    bytesSize = 0;
    ProtoInput input = open(wire());
    for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
      int field = tag >>> 3;
      int form = tag & 7;
      if (field >= NAMED.length
          || (form != wireType(field) && form != ProtoInput.LENGTH_DELIMITED)) {
        input.skipField(tag);
      } else if (field == BYTES) {
        long length = input.readLength();
        input.skip(length);
        counts[BYTES]++;
        bytesSize += BytesElements.PREFIX + length;
      } else if (form == ProtoInput.LENGTH_DELIMITED) {
        counts[field] += countPacked(input, field);
      } else {
        input.skipField(tag);
        counts[field]++;
      }
    }
  }

  private static long countPacked(ProtoInput input, int field) {
    long outer = input.beginMessage();
    long count = 0;
    while (input.hasMoreOfMessage()) {
      input.skipField(wireType(field));
      count++;
    }
    input.endMessage(outer);
    return count;
  }

  private void requireOnly(int field, String input, DataType type, String model) {
    boolean filled = false;
    for (int each = 1; each < counts.length; each++) {
      if (counts[each] == 0) {
        continue;
      }
      if (filled) {
        throw InferenceException.invalid(
            ("unexpected explicit tensor data for input tensor '%s' for model '%s', binary data"
                    + " was already supplied.")
                .formatted(input, model));
      }
      if (each != field) {
        throw InferenceException.invalid(
            ("unexpected explicit tensor data for input tensor '%s' for model '%s' of type '%s',"
                    + " expected datatype '%s'")
                .formatted(input, model, NAMED[each], type));
      }
      filled = true;
    }
  }

  /** Converts a field whose elements were counted. */
  private static void fill(MemorySegment message, int field, MemorySegment target, int size) {
    ProtoInput input = open(message);
    int single = field << 3 | wireType(field);
    int packed = field << 3 | ProtoInput.LENGTH_DELIMITED;
    long offset = 0;
    for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
      if (field == NONE || (tag != single && tag != packed)) {
        input.skipField(tag);
      } else if (wireType(field) != ProtoInput.VARINT) {
        long length = tag == packed ? input.readLength() : size;
        if (field == BYTES) {
          target.set(Elements.INT, offset, (int) length);
          offset += BytesElements.PREFIX;
        }
        MemorySegment.copy(message, message.byteSize() - input.left(), target, offset, length);
        input.skip(length);
        offset += length;
      } else if (tag == single) {
        put(target, offset, field, size, input.readVarint());
        offset += size;
      } else {
        long outer = input.beginMessage();
        for (; input.hasMoreOfMessage(); offset += size) {
          put(target, offset, field, size, input.readVarint());
        }
        input.endMessage(outer);
      }
    }
  }

  private static void put(MemorySegment target, long offset, int field, int size, long value) {
    switch (size) {
      case 1 -> target.set(Elements.BYTE, offset, (byte) (field == 1 && value != 0 ? 1 : value));
      case 2 -> target.set(Elements.SHORT, offset, (short) value);
      case 4 -> target.set(Elements.INT, offset, (int) value);
      default -> target.set(Elements.LONG, offset, value);
    }
  }

  @Override
  public void close() {
    growing.close();
    if (wire != null) {
      wire.close();
      wire = null;
    }
  }
}
