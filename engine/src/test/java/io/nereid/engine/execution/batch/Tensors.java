package io.nereid.engine.execution.batch;

import io.nereid.config.TensorConfig;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Small tensors, written and read as values. */
public final class Tensors {
  private Tensors() {}

  public static Tensor ints(String name, Shape shape, int... values) {
    MemorySegment data = Arena.ofAuto().allocate(4L * values.length);
    fill(data, values);
    return new Tensor(name, DataType.INT32, shape, data);
  }

  /** The configuration of an INT32 tensor with a reshape. */
  public static TensorConfig reshaped(String name, Shape dims, Shape reshape) {
    return config(name, dims, Optional.of(reshape), false, false);
  }

  /** The configuration of an INT32 tensor that is optional if it is ragged. */
  public static TensorConfig config(
      String name, Shape dims, Optional<Shape> reshape, boolean ragged, boolean shapeTensor) {
    var format = TensorConfig.Format.FORMAT_NONE;
    return new TensorConfig(
        name, DataType.INT32, dims, reshape, ragged, ragged, shapeTensor, format, "");
  }

  public static void fill(MemorySegment target, int... values) {
    for (int i = 0; i < values.length; i++) {
      target.set(Elements.INT, 4L * i, values[i]);
    }
  }

  public static List<Integer> values(Tensor tensor) {
    return IntStream.range(0, (int) tensor.byteSize() / 4)
        .mapToObj(i -> tensor.data().get(Elements.INT, 4L * i))
        .toList();
  }

  public static Tensor texts(String name, Shape shape, String... values) {
    byte[] elements = Samples.strings(values);
    MemorySegment data = Arena.ofAuto().allocate(elements.length);
    return new Tensor(name, DataType.BYTES, shape, data.copyFrom(MemorySegment.ofArray(elements)));
  }

  /** The elements of a tensor of strings. */
  public static List<String> texts(Tensor tensor) {
    List<String> texts = new ArrayList<>();
    BytesElements.forEach(
        tensor.data(),
        (offset, byteSize) ->
            texts.add(
                new String(
                    tensor.data().asSlice(offset, byteSize).toArray(Elements.BYTE),
                    StandardCharsets.UTF_8)));
    return texts;
  }
}
