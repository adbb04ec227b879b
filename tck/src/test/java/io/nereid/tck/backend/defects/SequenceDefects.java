package io.nereid.tck.backend.defects;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

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

  /** A sequence model that adds up the first elements, by correlation id, until the end. */
  static class Correlated extends FlowDefects.Sequences {
    /** By id, of the instance that the thread has. */
    private final ThreadLocal<Map<Long, Float>> sums = ThreadLocal.withInitial(HashMap::new);

    @Override
    ModelConfig config() {
      List<Control> controls = new ArrayList<>(super.config().sequence().orElseThrow().controls());
      controls.add(control("END", Control.Kind.CONTROL_SEQUENCE_END));
      controls.add(new Control("ID", Control.Kind.CONTROL_SEQUENCE_CORRID, DataType.UINT64, 0, 0));
      return super.config()
          .withScheduling(
              new SequenceSettings(
                  1_000_000,
                  controls,
                  new SequenceSettings.Strategy.Oldest(0, List.of(), 0, false),
                  List.of(),
                  false));
    }

    Map<Long, Float> sums() {
      return sums.get();
    }

    long id(Batch batch, int i) {
      return batch.input(i, "ID").orElseThrow().data().get(Elements.LONG, 0);
    }

    void ended(long id) {
      sums().remove(id);
    }

    @Override
    void answer(Batch batch, int i, Results results) {
      if (!is(batch, i, "READY")) {
        return;
      }
      long id = id(batch, i);
      float before = is(batch, i, "START") ? 0 : sums().getOrDefault(id, 0f);
      float sum = before + batch.input(i, "IN").orElseThrow().data().get(Elements.FLOAT, 0);
      sums().put(id, sum);
      if (is(batch, i, "END")) {
        ended(id);
      }
      if (results.wants(i, "SAME")) {
        results
            .allocate(i, "SAME", DataType.FP32, Shape.of(1, 1), Float.BYTES)
            .set(Elements.FLOAT, 0, sum);
      }
    }
  }

  static List<Planted> all() {
    return List.of(
        Planted.of(
            "SEQ-01",
            "finds a sequence by its row, which moves",
            () ->
                new Correlated() {
                  @Override
                  long id(Batch batch, int i) {
                    return i;
                  }
                }),
        Planted.of(
            "SEQ-01",
            "takes the low 32 bits of a correlation id",
            () ->
                new Correlated() {
                  @Override
                  long id(Batch batch, int i) {
                    return (int) super.id(batch, i);
                  }
                }),
        Planted.of(
            "SEQ-01",
            "takes a correlation id for an FP64",
            () ->
                new Correlated() {
                  @Override
                  long id(Batch batch, int i) {
                    return Double.doubleToLongBits((double) super.id(batch, i));
                  }
                }),
        Planted.of(
            "SEQ-02",
            "has one state for all copies of the model",
            () ->
                new Correlated() {
                  private final Map<Long, Float> all = new ConcurrentHashMap<>();

                  @Override
                  Map<Long, Float> sums() {
                    return all;
                  }
                }),
        Planted.of(
            "LEAK-05",
            "keeps the state of each sequence that has ended",
            () ->
                new Correlated() {
                  @Override
                  void ended(long id) {}
                }),
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
