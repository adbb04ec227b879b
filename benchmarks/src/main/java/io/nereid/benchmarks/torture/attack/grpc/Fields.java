package io.nereid.benchmarks.torture.attack.grpc;

import io.nereid.benchmarks.torture.wire.Requests;
import java.io.ByteArrayOutputStream;

/** Fields of messages of Protocol Buffers as bytes. */
final class Fields {
  private static final int LENGTH_DELIMITED = 2;
  private static final int SEVEN_BITS = 0x7f;

  private Fields() {}

  static byte[] text(int field, String text) {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(head(field, text.length()));
    bytes.writeBytes(Requests.bytes(text));
    return bytes.toByteArray();
  }

  /** The tag and the length of a field of {@code byteSize} bytes. */
  static byte[] head(int field, int byteSize) {
    var bytes = new ByteArrayOutputStream();
    bytes.write(field << 3 | LENGTH_DELIMITED);
    writeVarint(bytes, byteSize);
    return bytes.toByteArray();
  }

  static byte[] number(int field, int value) {
    var bytes = new ByteArrayOutputStream();
    bytes.write(field << 3);
    writeVarint(bytes, value);
    return bytes.toByteArray();
  }

  private static void writeVarint(ByteArrayOutputStream target, int value) {
    int rest = value;
    for (; (rest & ~SEVEN_BITS) != 0; rest >>>= 7) {
      target.write((rest & SEVEN_BITS) | ~SEVEN_BITS);
    }
    target.write(rest);
  }
}
