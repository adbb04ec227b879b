package io.nereid.client.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.nereid.client.DataType;
import io.nereid.client.Tensor;
import java.io.IOException;
import java.math.BigInteger;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The elements of tensors as arrays of JSON, nested or not. */
final class JsonData {
  private static final int FIRST_SIZE = 256;

  private JsonData() {}

  /** Writes an array of all elements; FP16 and BF16 have no such form. */
  static void write(JsonGenerator json, Tensor tensor) throws IOException {
    ByteBuffer data = tensor.data();
    int count = (int) tensor.elementCount();
    int size = tensor.dataType().byteSize();
    json.writeStartArray();
    if (tensor.dataType() == DataType.BYTES) {
      for (byte[] element : tensor.byteStrings()) {
        json.writeUTF8String(element, 0, element.length);
      }
    } else {
      for (int i = 0; i < count; i++) {
        writeElement(json, tensor.dataType(), data, i * size);
      }
    }
    json.writeEndArray();
  }

  private static void writeElement(JsonGenerator json, DataType dataType, ByteBuffer data, int at)
      throws IOException {
    switch (dataType) {
      case BOOL -> json.writeBoolean(data.get(at) != 0);
      case UINT8 -> json.writeNumber(Byte.toUnsignedInt(data.get(at)));
      case UINT16 -> json.writeNumber(Short.toUnsignedInt(data.getShort(at)));
      case UINT32 -> json.writeNumber(Integer.toUnsignedLong(data.getInt(at)));
      case UINT64 -> json.writeNumber(new BigInteger(Long.toUnsignedString(data.getLong(at))));
      case INT8 -> json.writeNumber(data.get(at));
      case INT16 -> json.writeNumber(data.getShort(at));
      case INT32 -> json.writeNumber(data.getInt(at));
      case INT64 -> json.writeNumber(data.getLong(at));
      case FP32 -> json.writeNumber(data.getFloat(at));
      case FP64 -> json.writeNumber(data.getDouble(at));
      case FP16, BF16, BYTES ->
          throw new IllegalArgumentException(dataType + " has no element as a number of JSON");
    }
  }

  /**
   * Reads the array whose begin is the current token.
   *
   * @throws IOException if an element is not of the data type
   */
  static ByteBuffer read(JsonParser json, DataType dataType) throws IOException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw new ProtocolException("'data' is no array");
    }
    ByteBuffer data = ByteBuffer.allocate(FIRST_SIZE).order(ByteOrder.LITTLE_ENDIAN);
    int depth = 1;
    while (depth > 0) {
      JsonToken token = json.nextToken();
      if (token == JsonToken.START_ARRAY) {
        depth++;
      } else if (token == JsonToken.END_ARRAY) {
        depth--;
      } else if (token == null) {
        throw new ProtocolException("'data' has no end");
      } else {
        data = readElement(json, dataType, data);
      }
    }
    return data.flip();
  }

  private static ByteBuffer readElement(JsonParser json, DataType dataType, ByteBuffer data)
      throws IOException {
    if (dataType == DataType.BYTES) {
      if (json.currentToken() != JsonToken.VALUE_STRING) {
        throw new ProtocolException("'data' of BYTES has " + json.getText());
      }
      byte[] element = json.getText().getBytes(StandardCharsets.UTF_8);
      return room(data, Integer.BYTES + element.length).putInt(element.length).put(element);
    }
    ByteBuffer to = room(data, dataType.byteSize());
    return switch (dataType) {
      case BOOL -> to.put((byte) (json.getBooleanValue() ? 1 : 0));
      case INT8, UINT8 -> to.put((byte) integer(json, dataType));
      case INT16, UINT16 -> to.putShort((short) integer(json, dataType));
      case INT32, UINT32 -> to.putInt((int) integer(json, dataType));
      case INT64, UINT64 -> to.putLong(integer(json, dataType));
      case FP32 -> to.putFloat(json.getFloatValue());
      case FP64 -> to.putDouble(json.getDoubleValue());
      case FP16, BF16 -> throw new ProtocolException(dataType + " as JSON");
      case BYTES -> throw new AssertionError("handled above");
    };
  }

  /** The bits of an integer of a type. */
  private static long integer(JsonParser json, DataType dataType) throws IOException {
    if (json.currentToken() == JsonToken.VALUE_NUMBER_INT) {
      if (json.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
        long value = json.getLongValue();
        if (isOf(dataType, value)) {
          return value;
        }
      } else if (dataType == DataType.UINT64) {
        BigInteger value = json.getBigIntegerValue();
        if (value.signum() > 0 && value.bitLength() <= Long.SIZE) {
          return value.longValue();
        }
      }
    }
    throw new ProtocolException("'data' of %s has %s".formatted(dataType, json.getText()));
  }

  private static boolean isOf(DataType dataType, long value) {
    int bits = dataType.byteSize() * Byte.SIZE;
    return switch (dataType) {
      case INT8, INT16, INT32, INT64 -> value >> (bits - 1) == value >> (Long.SIZE - 1);
      default -> value >= 0 && (bits == Long.SIZE || value >> bits == 0);
    };
  }

  private static ByteBuffer room(ByteBuffer data, int bytes) {
    if (data.remaining() >= bytes) {
      return data;
    }
    long size = Math.max(2L * data.capacity(), (long) data.position() + bytes);
    return ByteBuffer.allocate((int) Math.min(size, Integer.MAX_VALUE - 8))
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(data.flip());
  }
}
