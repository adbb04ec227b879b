package io.nereid.tensorrt.build.onnx;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Writes ONNX files of tests: graphs with inputs and tensors, without operators. Field numbers are
 * those of onnx.proto.
 */
public final class OnnxFileWriter {
  private final Message graph = new Message();
  private final Message model = new Message().number(1, 8);

  /** A protobuf message. */
  public static final class Message {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private Message varint(long value) {
      long rest = value;
      while ((rest & ~0x7fL) != 0) {
        bytes.write((int) ((rest & 0x7f) | 0x80));
        rest >>>= 7;
      }
      bytes.write((int) rest);
      return this;
    }

    Message number(int field, long value) {
      return varint((long) field << 3).varint(value);
    }

    Message bytes(int field, byte[] value) {
      varint((long) field << 3 | 2).varint(value.length);
      bytes.writeBytes(value);
      return this;
    }

    Message text(int field, String value) {
      return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Message message(int field, Message value) {
      return bytes(field, value.toBytes());
    }

    public byte[] toBytes() {
      return bytes.toByteArray();
    }
  }

  /** Adds an input; a dimension of -1 has a name instead of a size. */
  public OnnxFileWriter input(String name, long... dims) {
    Message shape = new Message();
    Arrays.stream(dims)
        .mapToObj(dim -> dim < 0 ? new Message().text(2, "n") : new Message().number(1, dim))
        .forEach(dim -> shape.message(1, dim));
    Message tensorType = new Message().number(1, 1).message(2, shape);
    graph.message(11, new Message().text(1, name).message(2, new Message().message(1, tensorType)));
    return this;
  }

  /** Adds an initializer with its values in the file. */
  public OnnxFileWriter initializer(String name, byte[] values) {
    graph.message(5, new Message().text(8, name).bytes(9, values));
    return this;
  }

  /** Adds an initializer with its values in another file. */
  public OnnxFileWriter externalInitializer(String name, String file) {
    graph.message(5, external(name, file));
    return this;
  }

  /** A tensor with its values in another file. */
  public static Message external(String name, String file) {
    return new Message()
        .text(8, name)
        .message(13, new Message().text(1, "offset").text(2, "0"))
        .message(13, new Message().text(1, "location").text(2, file))
        .number(14, 1);
  }

  /** Adds anything to the graph. */
  public OnnxFileWriter graphField(int field, Message value) {
    graph.message(field, value);
    return this;
  }

  /** Adds a documentation, in which the doubles of TensorRT find what they need to know. */
  public OnnxFileWriter documentation(String text) {
    model.text(6, text);
    return this;
  }

  public byte[] toBytes() {
    Message all = new Message();
    all.bytes.writeBytes(model.toBytes());
    return all.message(7, graph).toBytes();
  }

  public Path write(Path file) {
    try {
      return Files.write(file, toBytes());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
