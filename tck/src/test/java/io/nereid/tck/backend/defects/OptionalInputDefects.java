package io.nereid.tck.backend.defects;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Wrong answers to requests that leave out an input. */
final class OptionalInputDefects {
  private OptionalInputDefects() {}

  /** Adds an input to another, if a request has it. */
  static class OptionalBias extends Specimen {
    @Override
    ModelConfig config() {
      var optional =
          new TensorConfig(
              "BIAS",
              DataType.FP32,
              Shape.of(WIDTH),
              Optional.empty(),
              true,
              false,
              false,
              TensorConfig.Format.FORMAT_NONE,
              "");
      return super.config()
          .withSignature(MAX_BATCH, List.of(tensor("IN"), optional), super.config().outputs());
    }

    /** What is added to a request. */
    Optional<MemorySegment> bias(Batch batch, int i) {
      return batch.input(i, "BIAS").map(Tensor::data);
    }

    @Override
    void answer(Batch batch, int i, Results results) {
      Optional<MemorySegment> bias = bias(batch, i);
      Tensor input = batch.input(i, "IN").orElseThrow();
      for (String output : List.of("SAME", "OTHER")) {
        if (results.wants(i, output)) {
          var target = results.allocate(i, output, DataType.FP32, input.shape(), input.byteSize());
          write(output, input.data(), target);
          bias.ifPresent(values -> add(values, target));
        }
      }
    }

    private static void add(MemorySegment bias, MemorySegment target) {
      for (long at = 0; at < target.byteSize(); at += Float.BYTES) {
        float sum = target.get(Elements.FLOAT, at) + bias.get(Elements.FLOAT, at);
        target.set(Elements.FLOAT, at, sum);
      }
    }
  }

  static List<Planted> all() {
    return List.of(
        Planted.of("EXEC-15", "needs an input that is optional", Needing::new),
        Planted.of("EXEC-15", "takes an input left out from the request before", Keeping::new),
        Planted.of("EXEC-15", "computes something else without an input", Wrong::new));
  }

  private static final class Needing extends OptionalBias {
    @Override
    Optional<MemorySegment> bias(Batch batch, int i) {
      if (batch.input(i, "BIAS").isEmpty()) {
        throw new IllegalStateException("no bias");
      }
      return super.bias(batch, i);
    }
  }

  private static final class Keeping extends OptionalBias {
    private float @Nullable [] before;

    @Override
    Optional<MemorySegment> bias(Batch batch, int i) {
      super.bias(batch, i).ifPresent(bias -> before = bias.toArray(Elements.FLOAT));
      float[] kept = before;
      long needed = batch.input(i, "IN").orElseThrow().byteSize();
      return kept == null || (long) kept.length * Float.BYTES < needed
          ? Optional.empty()
          : Optional.of(MemorySegment.ofArray(kept));
    }
  }

  private static final class Wrong extends OptionalBias {
    @Override
    public Optional<Map<String, Tensor>> expected(ModelConfig config, SampleRequest request) {
      return request.inputs().size() > 1
          ? Optional.empty()
          : Optional.of(Map.of("OTHER", request.inputs().getFirst()));
    }
  }
}
