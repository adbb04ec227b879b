package io.nereid.tools.data;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An array in NumPy's format {@code .npy}, versions 1 to 3, as
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html describes it: numbers,
 * booleans and strings, in either order of bytes and of dimensions.
 *
 * @param kind of the elements, as NumPy's {@code dtype.kind}: b, i, u, f, S or U
 * @param size of an element in bytes
 * @param isFortranOrder whether the first dimension varies fastest
 * @param data the elements; its order is theirs
 */
@SuppressWarnings("ArrayRecordComponent") // read by this package alone
record NpyArray(char kind, int size, boolean isFortranOrder, long[] shape, ByteBuffer data) {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int VERSION = MAGIC.length;
  private static final Pattern DTYPE = Pattern.compile("'descr':\\s*'([<>|=])([a-zA-Z])(\\d*)'");
  private static final Pattern FORTRAN = Pattern.compile("'fortran_order':\\s*(True|False)");
  private static final Pattern SHAPE = Pattern.compile("'shape':\\s*\\(([\\d,\\s]*)\\)");
  private static final Pattern COMMA = Pattern.compile(",");
  private static final Pattern OF_NUMPY = Pattern.compile("b1|[iu][1248]|f[248]|[SU]\\d+");

  /**
   * @param source for messages
   * @throws DataException if the bytes are no such array
   */
  static NpyArray read(String source, byte[] file) {
    if (file.length < VERSION + 4 || !Arrays.equals(file, 0, VERSION, MAGIC, 0, VERSION)) {
      throw broken(source, "it does not begin as NumPy's .npy files do");
    }
    ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    int version = bytes.get(VERSION);
    int begin = VERSION + (version == 1 ? 4 : 6);
    if (version < 1 || version > 3 || file.length < begin) {
      throw broken(source, "version %d of the format is unknown".formatted(version));
    }
    long length =
        version == 1
            ? Short.toUnsignedLong(bytes.getShort(VERSION + 2))
            : Integer.toUnsignedLong(bytes.getInt(VERSION + 2));
    if (length > file.length - begin) {
      throw broken(source, "it ends in its header");
    }
    String header = new String(file, begin, (int) length, version == 3 ? UTF_8 : ISO_8859_1);
    return read(source, header, bytes.position(begin + (int) length).slice());
  }

  private static NpyArray read(String source, String header, ByteBuffer data) {
    Matcher dtype = DTYPE.matcher(header);
    Matcher fortran = FORTRAN.matcher(header);
    Matcher shape = SHAPE.matcher(header);
    if (!fortran.find() || !shape.find() || !header.contains("'descr'")) {
      throw broken(source, "its header is " + header.strip());
    }
    if (!dtype.find() || !OF_NUMPY.matcher(dtype.group(2) + dtype.group(3)).matches()) {
      throw new DataException(
          "%s has elements that only Python reads: expected numbers, booleans or strings, which astype makes; got %s"
              .formatted(source, header.strip()));
    }
    char kind = dtype.group(2).charAt(0);
    int size = Integer.parseInt(dtype.group(3)) * (kind == 'U' ? Integer.BYTES : 1);
    long[] dims;
    long byteSize = size;
    try {
      dims =
          COMMA
              .splitAsStream(shape.group(1))
              .map(String::strip)
              .filter(dim -> !dim.isEmpty())
              .mapToLong(Long::parseLong)
              .toArray();
      for (long dim : dims) {
        byteSize = Math.multiplyExact(byteSize, dim);
      }
    } catch (NumberFormatException | ArithmeticException _) {
      throw broken(source, "its header is " + header.strip());
    }
    if (byteSize != data.remaining()) {
      throw broken(
          source,
          "it has %d bytes of elements, and the shape %s needs %d"
              .formatted(data.remaining(), Arrays.toString(dims), byteSize));
    }
    data.order(dtype.group(1).equals(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    return new NpyArray(kind, size, fortran.group(1).equals("True"), dims, data);
  }

  private static DataException broken(String source, String why) {
    return new DataException("%s is broken: %s".formatted(source, why));
  }

  long elements() {
    return Arrays.stream(shape).reduce(1, Math::multiplyExact);
  }

  /**
   * Puts all elements, in row-major order.
   *
   * @throws DataException if one does not fit; it names the place
   */
  void fill(String source, ElementBuffer target) {
    long[] index = new long[shape.length];
    long count = elements();
    for (long i = 0; i < count; i++) {
      try {
        put(target, isFortranOrder ? fortran(index) : (int) i);
      } catch (IllegalArgumentException wrong) {
        throw new DataException(
            "%s at %s: %s".formatted(source, Arrays.toString(index), wrong.getMessage()));
      }
      for (int dim = shape.length - 1; dim >= 0 && ++index[dim] == shape[dim]; dim--) {
        index[dim] = 0;
      }
    }
  }

  /** The place of an element whose first index varies fastest. */
  private int fortran(long[] index) {
    long place = 0;
    for (int dim = shape.length - 1; dim >= 0; dim--) {
      place = place * shape[dim] + index[dim];
    }
    return (int) place;
  }

  private void put(ElementBuffer target, int place) {
    int at = place * size;
    switch (kind) {
      case 'f' ->
          target.put(
              switch (size) {
                case Short.BYTES -> Float.float16ToFloat(data.getShort(at));
                case Float.BYTES -> data.getFloat(at);
                default -> data.getDouble(at);
              });
      case 'i' -> target.put(BigInteger.valueOf(signed(at)));
      case 'u' -> {
        BigInteger bits = BigInteger.valueOf(signed(at));
        target.put(bits.signum() < 0 ? bits.add(BigInteger.ONE.shiftLeft(size * Byte.SIZE)) : bits);
      }
      case 'b' -> target.put(BigInteger.valueOf(data.get(at)));
      case 'S' -> target.put(text(at));
      default -> target.put(codePoints(at));
    }
  }

  private long signed(int at) {
    return switch (size) {
      case Byte.BYTES -> data.get(at);
      case Short.BYTES -> data.getShort(at);
      case Integer.BYTES -> data.getInt(at);
      default -> data.getLong(at);
    };
  }

  /** Without the zeros that NumPy adds to strings. */
  private String text(int at) {
    int end = at + size;
    while (end > at && data.get(end - 1) == 0) {
      end--;
    }
    byte[] bytes = new byte[end - at];
    data.get(at, bytes);
    return new String(bytes, UTF_8);
  }

  private String codePoints(int at) {
    StringBuilder text = new StringBuilder();
    for (int i = at; i < at + size && data.getInt(i) != 0; i += Integer.BYTES) {
      text.appendCodePoint(data.getInt(i));
    }
    return text.toString();
  }
}
