package io.nereid.tck.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** For each data type three elements with its extremes among them, as JSON and as bytes. */
public final class Samples {
  /** Strings of no bytes, of two-byte characters, and with what JSON must escape. */
  public static final List<String> STRINGS = List.of("", "Nereïde", "a\"b\\c\n\u0000");

  private Samples() {}

  /** The model of the TCK's repository that copies tensors of that type. */
  public static String model(DataType type) {
    return "identity_" + type.name().toLowerCase(Locale.ROOT);
  }

  /** The elements as a JSON list. */
  public static String json(DataType type) {
    return switch (type) {
      case BOOL -> "[true,false,true]";
      case UINT8 -> "[0,1,255]";
      case UINT16 -> "[0,1,65535]";
      case UINT32 -> "[0,1,4294967295]";
      case UINT64 -> "[0,1,18446744073709551615]";
      case INT8 -> "[-128,0,127]";
      case INT16 -> "[-32768,0,32767]";
      case INT32 -> "[-2147483648,0,2147483647]";
      case INT64 -> "[-9223372036854775808,0,9223372036854775807]";
      case FP16, BF16 -> throw new IllegalArgumentException(type + " has no JSON form");
      case FP32 -> "[0.1,-1.5,3.4028234663852886e38]";
      case FP64 -> "[0.1,-1.5,1.7976931348623157e308]";
      case BYTES -> "[\"\",\"Nereïde\",\"a\\\"b\\\\c\\n\\u0000\"]";
    };
  }

  /** The elements as the protocol's bytes. */
  public static byte[] bytes(DataType type) {
    return switch (type) {
      case BOOL -> new byte[] {1, 0, 1};
      case UINT8 -> integers(1, "0", "1", "255");
      case UINT16 -> integers(2, "0", "1", "65535");
      case UINT32 -> integers(4, "0", "1", "4294967295");
      case UINT64 -> integers(8, "0", "1", "18446744073709551615");
      case INT8 -> integers(1, "-128", "0", "127");
      case INT16 -> integers(2, "-32768", "0", "32767");
      case INT32 -> integers(4, "-2147483648", "0", "2147483647");
      case INT64 -> integers(8, "-9223372036854775808", "0", "9223372036854775807");
      case FP16 -> new byte[] {0x00, 0x3c, 0x01, 0x00, (byte) 0xff, 0x7b}; // 1, least, greatest
      case BF16 -> new byte[] {(byte) 0x80, 0x3f, 0x01, 0x00, 0x7f, 0x7f};
      case FP32 ->
          littleEndian(12).putFloat(0.1f).putFloat(-1.5f).putFloat(Float.MAX_VALUE).array();
      case FP64 ->
          littleEndian(24).putDouble(0.1).putDouble(-1.5).putDouble(Double.MAX_VALUE).array();
      case BYTES -> strings(STRINGS.toArray(String[]::new));
    };
  }

  /** Texts in UTF-8, in the layout of {@link BytesElements}. */
  public static byte[] strings(String... texts) {
    return strings(Stream.of(texts).map(text -> text.getBytes(UTF_8)).toList());
  }

  /** Elements in the layout of {@link BytesElements}. */
  public static byte[] strings(List<byte[]> elements) {
    byte[] bytes = new byte[Math.toIntExact(BytesElements.byteSize(elements))];
    var data = MemorySegment.ofArray(bytes);
    long offset = 0;
    for (byte[] element : elements) {
      offset = BytesElements.put(data, offset, element);
    }
    return bytes;
  }

  /** INT32 elements, little-endian. */
  public static byte[] ints(int... values) {
    byte[] bytes = new byte[values.length * Integer.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(values);
    return bytes;
  }

  private static ByteBuffer littleEndian(int byteSize) {
    return ByteBuffer.allocate(byteSize).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] integers(int byteSize, String... values) {
    byte[] bytes = new byte[values.length * byteSize];
    for (int i = 0; i < values.length; i++) {
      var value = new BigInteger(values[i]);
      for (int k = 0; k < byteSize; k++) {
        bytes[i * byteSize + k] = value.shiftRight(8 * k).byteValue();
      }
    }
    return bytes;
  }
}
