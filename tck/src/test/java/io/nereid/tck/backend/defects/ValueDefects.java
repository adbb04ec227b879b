package io.nereid.tck.backend.defects;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.Results;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;

/** Values that are not copied as they are. */
final class ValueDefects {
  private static final int NEGATIVE_ZERO = 0x8000_0000;
  private static final int EXPONENT = 0x7f80_0000;

  private ValueDefects() {}

  /** A model that copies tensors of each type. */
  static class Identity extends Specimen {
    @Override
    Optional<BackendUnderTest> identity(DataType type) {
      var config =
          ModelConfig.of("identity", "specimen")
              .withSignature(
                  0,
                  List.of(TensorConfig.of("IN", type, Shape.of(-1))),
                  List.of(TensorConfig.of("SAME", type, Shape.of(-1))));
      return Optional.of(BackendUnderTest.of(this, new ModelFiles(Path.of("identity"), 1), config));
    }

    @Override
    void answer(Batch batch, int i, Results results) {
      Tensor in = batch.input(i, "IN").orElseThrow();
      byte[] bytes = copy(in.dataType(), in.data().toArray(ValueLayout.JAVA_BYTE));
      results
          .allocate(i, "SAME", in.dataType(), in.shape(), bytes.length)
          .copyFrom(MemorySegment.ofArray(bytes));
    }

    byte[] copy(DataType type, byte[] bytes) {
      return bytes;
    }
  }

  /** A model that copies a type wrongly. */
  private static Planted copied(String defect, DataType wrong, UnaryOperator<byte[]> copy) {
    return Planted.of(
        "TYPES-01",
        defect,
        () ->
            new Identity() {
              @Override
              byte[] copy(DataType type, byte[] bytes) {
                return type == wrong ? copy.apply(bytes) : bytes;
              }
            });
  }

  private static Planted floats(String defect, IntUnaryOperator bits) {
    return copied(
        defect,
        DataType.FP32,
        bytes -> {
          var data = MemorySegment.ofArray(bytes);
          for (long at = 0; at < bytes.length; at += Float.BYTES) {
            data.set(Elements.INT, at, bits.applyAsInt(data.get(Elements.INT, at)));
          }
          return bytes;
        });
  }

  private static byte[] withoutNulsAtTheEnd(byte[] bytes) {
    var data = MemorySegment.ofArray(bytes);
    List<byte[]> elements = new ArrayList<>();
    BytesElements.forEach(
        data,
        (offset, byteSize) -> {
          long end = byteSize;
          while (end > 0 && data.get(Elements.BYTE, offset + end - 1) == 0) {
            end--;
          }
          elements.add(data.asSlice(offset, end).toArray(ValueLayout.JAVA_BYTE));
        });
    return Samples.strings(elements);
  }

  static List<Planted> all() {
    return List.of(
        floats("loses the sign of a zero", bits -> bits == NEGATIVE_ZERO ? 0 : bits),
        floats(
            "takes subnormal numbers for zeros",
            bits -> (bits & EXPONENT) == 0 ? bits & NEGATIVE_ZERO : bits),
        copied(
            "cuts NULs at the end of an element",
            DataType.BYTES,
            ValueDefects::withoutNulsAtTheEnd),
        copied(
            "copies 16 elements",
            DataType.INT16,
            bytes ->
                Arrays.copyOf(Arrays.copyOf(bytes, Math.min(bytes.length, 32)), bytes.length)));
  }
}
