package io.nereid.tck.backend.defects;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Wrong answers to inputs without elements, with no numbers, with long strings and of any length.
 */
final class ExtremeDefects {
  private ExtremeDefects() {}

  private static ModelConfig of(ModelConfig config, TensorConfig input, TensorConfig output) {
    return config.withSignature(Specimen.MAX_BATCH, List.of(input), List.of(output));
  }

  /** A model whose output is the mean of each row of a ragged input. */
  static class Mean extends Specimen {
    @Override
    ModelConfig config() {
      var ragged =
          new TensorConfig(
              "IN",
              DataType.FP32,
              Shape.of(-1),
              Optional.empty(),
              false,
              true,
              false,
              TensorConfig.Format.FORMAT_NONE,
              "");
      return of(super.config(), ragged, TensorConfig.of("SAME", DataType.FP32, Shape.of(1)));
    }

    /** The number of elements of a row of a request. */
    long length(Batch batch, int i) {
      return batch.input(i, "IN").orElseThrow().shape().dim(1);
    }

    float mean(float sum, long length) {
      return length == 0 ? 0 : sum / length;
    }

    @Override
    void execute(Batch batch, Results results) {
      MemorySegment in = batch.gathered("IN").orElseThrow().data();
      if (!results.wants("SAME")) {
        return;
      }
      var out = results.allocateBatch("SAME", DataType.FP32, Shape.of(batch.rows(), 1));
      long at = 0;
      long row = 0;
      for (int i = 0; i < batch.size(); i++) {
        long length = length(batch, i);
        for (long end = row + batch.input(i, "IN").orElseThrow().shape().dim(0); row < end; row++) {
          float sum = 0;
          for (long element = 0; element < length; element++) {
            sum += in.getAtIndex(Elements.FLOAT, at++);
          }
          out.setAtIndex(Elements.FLOAT, row, mean(sum, length));
        }
      }
    }
  }

  /** A model that copies strings. */
  static class Strings extends Specimen {
    @Override
    ModelConfig config() {
      return of(
          super.config(),
          TensorConfig.of("IN", DataType.BYTES, Shape.of(-1)),
          TensorConfig.of("SAME", DataType.BYTES, Shape.of(-1)));
    }

    void write(MemorySegment in, MemorySegment out) {
      out.copyFrom(in);
    }

    @Override
    void answer(Batch batch, int i, Results results) {
      Tensor in = batch.input(i, "IN").orElseThrow();
      if (results.wants(i, "SAME")) {
        write(in.data(), results.allocate(i, "SAME", DataType.BYTES, in.shape(), in.byteSize()));
      }
    }
  }

  static List<Planted> all() {
    return List.of(
        Planted.of(
            "EXEC-01",
            "divides by zero elements",
            () ->
                new Mean() {
                  @Override
                  float mean(float sum, long length) {
                    return super.mean(sum, length) + (int) (0 / length);
                  }
                }),
        Planted.of(
            "EXEC-04",
            "takes ragged rows for equally long",
            () ->
                new Mean() {
                  @Override
                  long length(Batch batch, int i) {
                    return batch.gathered("IN").orElseThrow().shape().elementCount() / batch.rows();
                  }
                }),
        Planted.of(
            "EXEC-10",
            "writes 16-bit lengths",
            () ->
                new Strings() {
                  @Override
                  void write(MemorySegment in, MemorySegment out) {
                    super.write(in, out);
                    if (in.byteSize() > 0) {
                      out.set(Elements.INT, 0, (short) in.get(Elements.INT, 0));
                    }
                  }
                }),
        Planted.of(
            "MEMORY-06",
            "claims to fill outputs, and leaves out NaN",
            () ->
                new Specimen() {
                  @Override
                  boolean fillsOutputs() {
                    return true;
                  }

                  @Override
                  void execute(Batch batch, Results results) {
                    MemorySegment in = batch.gathered("IN").orElseThrow().data();
                    for (String output : List.of("SAME", "OTHER")) {
                      if (results.wants(output)) {
                        var shape = Shape.of(batch.rows(), WIDTH);
                        var out = results.allocateBatch(output, DataType.FP32, shape);
                        for (long at = 0; at < in.byteSize(); at += Float.BYTES) {
                          float value = in.get(Elements.FLOAT, at);
                          if (!Float.isNaN(value)) {
                            out.set(Elements.FLOAT, at, output.equals("SAME") ? value : -value);
                          }
                        }
                      }
                    }
                  }
                }),
        Planted.of(
            "DET-01",
            "never ends a detached request without elements",
            () ->
                new DetachedDefects.Later() {
                  @Override
                  ModelConfig config() {
                    var open = TensorConfig.of("IN", DataType.FP32, Shape.of(-1));
                    var output = TensorConfig.of("SAME", DataType.FP32, Shape.of(-1));
                    return of(super.config(), open, output);
                  }

                  @Override
                  public Duration maxCall() {
                    return SHORT_CALL;
                  }

                  @Override
                  void answer(DetachedRequest request) {
                    if (request.input("IN").orElseThrow().byteSize() > 0) {
                      super.answer(request);
                    }
                  }
                }));
  }
}
