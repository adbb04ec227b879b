package io.nereid.onnx;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Messages of {@code onnx.proto}, as bytes, for files that no tool for ONNX would write. */
final class OnnxBytes {
  private static final int UINT8 = 2;

  private OnnxBytes() {}

  /** A model without inputs, whose output {@code OUT} is rank 1 and of bytes. */
  static byte[] model(byte[]... graphFields) {
    return join(varint(1, 9), message(7, graph(graphFields)), message(8, varint(2, 17)));
  }

  /** A graph with the output {@code OUT}. */
  static byte[] graph(byte[]... fields) {
    byte[] type = message(1, join(varint(1, UINT8), message(2, message(1, text(2, "n")))));
    return join(text(2, "g"), join(fields), message(12, join(text(1, "OUT"), message(2, type))));
  }

  /** A node of a graph. */
  static byte[] node(String type, List<String> inputs, String output, byte[]... attributes) {
    return message(1, nodeContent(type, inputs, output, attributes));
  }

  static byte[] nodeContent(String type, List<String> inputs, String output, byte[]... attributes) {
    byte[][] names = inputs.stream().map(input -> text(1, input)).toArray(byte[][]::new);
    return join(join(names), text(2, output), text(4, type), join(attributes));
  }

  /** The attribute of a node that is a tensor. */
  static byte[] tensorAttribute(String name, byte[] tensor) {
    return message(5, join(text(1, name), message(5, tensor), varint(20, 4)));
  }

  /** The attribute of a node that is a graph. */
  static byte[] graphAttribute(String name, byte[] graph) {
    return message(5, join(text(1, name), message(6, graph), varint(20, 5)));
  }

  /** A tensor of bytes whose content is elsewhere. */
  static byte[] external(String name, long length, String location, long offset) {
    return join(
        varint(1, length),
        varint(2, UINT8),
        text(8, name),
        entry("location", location),
        entry("offset", Long.toString(offset)),
        entry("length", Long.toString(length)),
        varint(14, 1));
  }

  private static byte[] entry(String key, String value) {
    return message(13, join(text(1, key), text(2, value)));
  }

  static byte[] text(int field, String text) {
    return message(field, text.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] message(int field, byte[] content) {
    return join(bits(((long) field << 3) | 2), bits(content.length), content);
  }

  static byte[] varint(int field, long value) {
    return join(bits((long) field << 3), bits(value));
  }

  private static byte[] bits(long value) {
    var out = new ByteArrayOutputStream();
    long rest = value;
    for (; (rest & ~0x7fL) != 0; rest >>>= 7) {
      out.write((int) ((rest & 0x7f) | 0x80));
    }
    out.write((int) rest);
    return out.toByteArray();
  }

  static byte[] join(byte[]... parts) {
    var out = new ByteArrayOutputStream();
    Arrays.stream(parts).forEach(out::writeBytes);
    return out.toByteArray();
  }
}
