package io.nereid.tools.data;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.client.DataType;
import io.nereid.client.Tensor;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The elements of a tensor while they are read, in row-major order. What the data type cannot hold
 * is refused by an {@link IllegalArgumentException} whose message says what came and what was
 * expected: numbers are rounded to a floating-point type, and changed in no other way.
 */
public final class ElementBuffer {
  private static final BigInteger MAX_UINT64 =
      BigInteger.TWO.pow(Long.SIZE).subtract(BigInteger.ONE);

  /** What {@code pandas.read_csv} reads as a missing value, in lower case. */
  private static final Set<String> MISSING =
      Set.of(
          "",
          "nan",
          "-nan",
          "na",
          "n/a",
          "#n/a",
          "#n/a n/a",
          "#na",
          "<na>",
          "null",
          "none",
          "1.#ind",
          "-1.#ind",
          "1.#qnan",
          "-1.#qnan");

  private static final Pattern DECIMAL_COMMA = Pattern.compile("[+-]?\\d*,\\d+");

  private final DataType type;

  /** Of all types but BYTES and the half floats. */
  private final ByteBuffer bytes;

  private final byte[][] strings;
  private final float[] halves;
  private int count;

  /**
   * @param elements how many will be put
   * @throws DataException if they take more than 2 GiB
   */
  public ElementBuffer(DataType type, long elements) {
    this.type = type;
    long size = type == DataType.BYTES ? elements : Math.multiplyExact(elements, type.byteSize());
    if (size > Integer.MAX_VALUE - 8) {
      throw new DataException("%d elements of %s are more than 2 GiB".formatted(elements, type));
    }
    boolean isHalf = type == DataType.FP16 || type == DataType.BF16;
    bytes =
        ByteBuffer.allocate(type == DataType.BYTES || isHalf ? 0 : (int) size)
            .order(ByteOrder.LITTLE_ENDIAN);
    strings = new byte[type == DataType.BYTES ? (int) elements : 0][];
    halves = new float[isHalf ? (int) elements : 0];
  }

  /** A tensor of what was put; as many elements as the shape has. */
  public Tensor tensor(long... shape) {
    return switch (type) {
      case BYTES -> Tensor.of(strings, shape);
      case FP16, BF16 -> Tensor.of(type, halves, shape);
      default -> Tensor.wrap(type, bytes.rewind(), shape);
    };
  }

  /**
   * Puts a cell of a text file: a string as it is; a number, where a missing value is NaN, true is
   * 1 and false 0; or a boolean.
   */
  public void put(String text) {
    switch (type) {
      case BYTES -> strings[count++] = text.getBytes(UTF_8);
      case FP16, BF16, FP32, FP64 -> put(number(text));
      case BOOL -> bytes.put((byte) (isTrue(text) ? 1 : 0));
      default -> put(integer(text));
    }
  }

  /**
   * Whether a cell where a number is expected is a missing value, as pandas reads and writes it.
   */
  static boolean isMissing(String text) {
    return MISSING.contains(text.strip().toLowerCase(Locale.ROOT));
  }

  private double number(String text) {
    if (isMissing(text)) {
      return Double.NaN;
    }
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "inf", "infinity", "+inf", "+infinity" -> Double.POSITIVE_INFINITY;
      case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
      case "true" -> 1;
      case "false" -> 0;
      default -> decimal(text);
    };
  }

  /** Without what Java knows beside decimal numbers: hexadecimal ones, and a type behind them. */
  private double decimal(String text) {
    String number = text.strip();
    char last = number.charAt(number.length() - 1);
    if ((Character.isDigit(last) || last == '.')
        && number.indexOf('x') < 0
        && number.indexOf('X') < 0) {
      try {
        return Double.parseDouble(number);
      } catch (NumberFormatException _) {
        // said below
      }
    }
    throw expected(
        "'%s'".formatted(text),
        DECIMAL_COMMA.matcher(number).matches()
            ? "a number with a point, as pandas writes it with decimal='.'"
            : "a number");
  }

  private BigInteger integer(String text) {
    try {
      return new BigInteger(text.strip());
    } catch (NumberFormatException notAnInteger) {
      double number = integral(text); // as pandas writes integers beside a missing value
      if (number == Math.rint(number) && Math.abs(number) <= 1L << 53) {
        return BigInteger.valueOf((long) number);
      }
      throw expected(text.isBlank() ? "an empty cell" : "'%s'".formatted(text), "an integer");
    }
  }

  /** NaN if it is no number. */
  private double integral(String text) {
    try {
      return number(text);
    } catch (IllegalArgumentException notANumber) {
      return Double.NaN;
    }
  }

  private boolean isTrue(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw expected("'%s'".formatted(text), "true or false");
    };
  }

  /** Puts a floating-point number. */
  public void put(double value) {
    switch (type) {
      case FP64 -> bytes.putDouble(value);
      case FP32 -> bytes.putFloat(rounded(value));
      case FP16, BF16 -> halves[count++] = rounded(value);
      case BYTES, BOOL -> throw expected(Double.toString(value), named());
      default -> {
        if (value != Math.rint(value) || Math.abs(value) > 1L << 53) {
          throw expected(Double.toString(value), "an integer");
        }
        put(BigInteger.valueOf((long) value));
      }
    }
  }

  private float rounded(double value) {
    if (Float.isInfinite((float) value) && !Double.isInfinite(value)) {
      throw expected(Double.toString(value), "a number in its range");
    }
    return (float) value;
  }

  /** Puts an integer. */
  public void put(BigInteger value) {
    switch (type) {
      case FP16, BF16, FP32, FP64 -> put(value.doubleValue());
      case BYTES -> throw expected(value.toString(), named());
      case BOOL -> bytes.put((byte) inRange(value, 1, /* isSigned= */ false));
      case UINT8 -> bytes.put((byte) inRange(value, Byte.SIZE, /* isSigned= */ false));
      case UINT16 -> bytes.putShort((short) inRange(value, Short.SIZE, /* isSigned= */ false));
      case UINT32 -> bytes.putInt((int) inRange(value, Integer.SIZE, /* isSigned= */ false));
      case UINT64 -> {
        if (value.signum() < 0 || value.compareTo(MAX_UINT64) > 0) {
          throw expected(value.toString(), "a number in its range");
        }
        bytes.putLong(value.longValue());
      }
      case INT8 -> bytes.put((byte) inRange(value, Byte.SIZE, /* isSigned= */ true));
      case INT16 -> bytes.putShort((short) inRange(value, Short.SIZE, /* isSigned= */ true));
      case INT32 -> bytes.putInt((int) inRange(value, Integer.SIZE, /* isSigned= */ true));
      case INT64 -> bytes.putLong(inRange(value, Long.SIZE, /* isSigned= */ true));
    }
  }

  private long inRange(BigInteger value, int bits, boolean isSigned) {
    int length = value.bitLength() + (isSigned ? 1 : 0);
    if (length > bits || (!isSigned && value.signum() < 0)) {
      throw expected(value.toString(), "a number in its range");
    }
    return value.longValue();
  }

  private String named() {
    return type == DataType.BYTES ? "a string" : "true or false";
  }

  private IllegalArgumentException expected(String came, String expected) {
    return new IllegalArgumentException("got %s, expected %s (%s)".formatted(came, expected, type));
  }
}
