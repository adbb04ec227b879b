package io.nereid.engine.cache;

import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/** Writes the descriptions of requests and responses, as {@link ByteReader} reads them. */
final class ByteWriter {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes = new byte[256];
  private int size;

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  void number(long value) {
    int at = grow(Long.BYTES);
    LONG.set(bytes, at, value);
  }

  void text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    number(utf8.length);
    int at = grow(utf8.length);
    System.arraycopy(utf8, 0, bytes, at, utf8.length);
  }

  /** Writes all of a tensor but its bytes. */
  void tensor(Tensor tensor) {
    text(tensor.name());
    text(tensor.dataType().name());
    number(tensor.shape().rank());
    for (int i = 0; i < tensor.shape().rank(); i++) {
      number(tensor.shape().dim(i));
    }
    number(tensor.byteSize());
  }

  void parameters(Map<String, Parameter> parameters) {
    number(parameters.size());
    parameters.forEach((name, value) -> {
      text(name);
      parameter(value);
    });
  }

  private void parameter(Parameter value) {
    switch (value) {
      case Parameter.OfString(String text) -> {
        number(ByteReader.STRING);
        text(text);
      }
      case Parameter.OfLong(long number) -> {
        number(ByteReader.LONG);
        number(number);
      }
      case Parameter.OfBoolean(boolean truth) -> {
        number(ByteReader.BOOLEAN);
        number(truth ? 1 : 0);
      }
      case Parameter.OfDouble(double number) -> {
        number(ByteReader.DOUBLE);
        number(Double.doubleToRawLongBits(number));
      }
    }
  }

  /** Makes room for that many bytes, and returns where they begin. */
  private int grow(int count) {
    int at = size;
    size = Math.addExact(size, count);
    if (size > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size, (int) Math.min(2L * bytes.length, 1 << 30)));
    }
    return at;
  }
}
