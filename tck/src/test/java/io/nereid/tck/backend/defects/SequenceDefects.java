package io.nereid.tck.backend.defects;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** Wrong handling of what a sequence keeps. */
final class SequenceDefects {
  private SequenceDefects() {}

  /** A sequence model that adds up the first elements in a state that the server keeps. */
  static class Stateful extends Specimen {
    @Override
    ModelConfig config() {
      var state =
          new State(
              "SUM_IN", "SUM_OUT", DataType.FP32, Shape.of(1), Optional.empty(), false, false);
      return super.config()
          .withSignature(
              MAX_BATCH,
              List.of(tensor("IN")),
              List.of(TensorConfig.of("SAME", DataType.FP32, Shape.of(1))))
          .withScheduling(
              new SequenceSettings(
                  1_000_000,
                  List.of(),
                  new SequenceSettings.Strategy.Direct(0, 0),
                  List.of(state),
                  false));
    }

    @Override
    void answer(Batch batch, int i, Results results) {
      if (batch.isPadding(i)) {
        return;
      }
      float sum =
          batch.state(i, "SUM_IN").data().get(Elements.FLOAT, 0)
              + batch.input(i, "IN").orElseThrow().data().get(Elements.FLOAT, 0);
      state(results, i).set(Elements.FLOAT, 0, sum);
      if (results.wants(i, "SAME")) {
        results
            .allocate(i, "SAME", DataType.FP32, Shape.of(1, 1), Float.BYTES)
            .set(Elements.FLOAT, 0, sum);
      }
    }

    /** Memory for the new state of a request. */
    MemorySegment state(Results results, int i) {
      return results.allocateState(i, "SUM_OUT", DataType.FP32, Shape.of(1, 1));
    }
  }

  static List<Planted> all() {
    return List.of(
        Planted.of(
            "MEMORY-13",
            "writes a state of the batch before",
            () ->
                new Stateful() {
                  private MemorySegment before = MemorySegment.ofArray(new float[1]);

                  @Override
                  MemorySegment state(Results results, int i) {
                    if (before.scope().isAlive()) {
                      before.set(Elements.FLOAT, 0, 1);
                    }
                    before = super.state(results, i);
                    return before;
                  }
                }));
  }
}
