package io.nereid.tck.backend.defects;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Wrong handling of refused requests, of several responses, and of sequences. */
final class FlowDefects {
  private FlowDefects() {}

  /** A decoupled model: each of the {@code WIDTH} elements is a response. */
  static class Decoupled extends Specimen {
    @Override
    ModelConfig config() {
      return super.config()
          .withSignature(
              0,
              List.of(tensor("IN")),
              List.of(TensorConfig.of("SAME", DataType.FP32, Shape.of(1))))
          .withDecoupled(true);
    }

    @Override
    void answer(Batch batch, int i, Results results) {
      Tensor in = batch.input(i, "IN").orElseThrow();
      for (int element = 0; element < WIDTH && !stops(batch); element++) {
        put(results, i, value(in.data(), element));
        results.send(i);
      }
      results.finish(i);
    }

    float value(MemorySegment in, int element) {
      return in.get(Elements.FLOAT, (long) element * Float.BYTES);
    }

    boolean stops(Batch batch) {
      return batch.isCancelled();
    }

    static void put(Results results, int i, float value) {
      results
          .allocate(i, "SAME", DataType.FP32, Shape.of(1), Float.BYTES)
          .set(Elements.FLOAT, 0, value);
    }
  }

  /** A sequence model that adds up the first elements, by row, from START on. */
  static class Sequences extends Specimen {
    /** By row, of the instance that the thread has. */
    private final ThreadLocal<float[]> sums = ThreadLocal.withInitial(() -> new float[MAX_BATCH]);

    @Override
    ModelConfig config() {
      return super.config()
          .withSignature(
              MAX_BATCH,
              List.of(tensor("IN")),
              List.of(TensorConfig.of("SAME", DataType.FP32, Shape.of(1))))
          .withScheduling(
              new SequenceSettings(
                  1_000_000,
                  List.of(
                      control("START", Control.Kind.CONTROL_SEQUENCE_START),
                      control("READY", Control.Kind.CONTROL_SEQUENCE_READY)),
                  new SequenceSettings.Strategy.Direct(0, 0),
                  List.of(),
                  false));
    }

    static Control control(String name, Control.Kind kind) {
      return new Control(name, kind, DataType.INT32, 0, 1);
    }

    static boolean is(Batch batch, int i, String control) {
      return batch.input(i, control).orElseThrow().data().get(Elements.INT, 0) == 1;
    }

    /** What the row has added up before this request. */
    float before(Batch batch, int i) {
      return is(batch, i, "START") ? 0 : sum(i);
    }

    @Override
    void answer(Batch batch, int i, Results results) {
      if (!is(batch, i, "READY")) {
        return;
      }
      float value = batch.input(i, "IN").orElseThrow().data().get(Elements.FLOAT, 0);
      float sum = before(batch, i) + value;
      sums.get()[i] = sum;
      if (results.wants(i, "SAME")) {
        results
            .allocate(i, "SAME", DataType.FP32, Shape.of(1, 1), Float.BYTES)
            .set(Elements.FLOAT, 0, sum);
      }
    }

    float sum(int row) {
      return sums.get()[row];
    }
  }

  /** A model that refuses a request with the parameter {@code bad}. */
  static class Refusing extends Specimen {
    @Override
    public Optional<SampleRequest> refused(ModelConfig config) {
      return Optional.of(bad(this, config));
    }

    @Override
    void answer(Batch batch, int i, Results results) {
      if (isBad(batch, i)) {
        results.fail(i, InferenceException.invalid("a bad request"));
      } else {
        super.answer(batch, i, results);
      }
    }
  }

  static List<Planted> all() {
    List<Planted> all = new ArrayList<>(errors());
    all.addAll(decoupled());
    all.addAll(sequences());
    return all;
  }

  private static List<Planted> errors() {
    return List.of(
        Planted.of(
            "ERROR-01",
            "loads a model that it cannot run",
            () ->
                new Specimen() {
                  @Override
                  void load(ModelConfig config) {}
                }),
        Planted.of(
            "ERROR-01",
            "does not name the model that it cannot load",
            () ->
                new Specimen() {
                  @Override
                  void load(ModelConfig config) {
                    if (config.name().equals("unloadable")) {
                      throw InferenceException.invalid("bad file");
                    }
                  }
                }),
        Planted.of(
            "ERROR-01",
            "throws another exception from load",
            () ->
                new Specimen() {
                  @Override
                  void load(ModelConfig config) {
                    if (config.name().equals("unloadable")) {
                      throw new IllegalArgumentException("model 'unloadable'");
                    }
                  }
                }),
        Planted.of(
            "ERROR-02",
            "loads nothing after a failed load",
            () ->
                new Specimen() {
                  private boolean failed;

                  @Override
                  public Backend open(BackendContext context) {
                    failed = false;
                    return super.open(context);
                  }

                  @Override
                  void load(ModelConfig config) {
                    if (config.name().equals("unloadable") || failed) {
                      failed = true;
                      throw InferenceException.internal("model '%s': no".formatted(config.name()));
                    }
                  }
                }),
        Planted.of(
            "ERROR-02",
            "executes nothing after a failed load",
            () ->
                new Specimen() {
                  private boolean failed;

                  @Override
                  void load(ModelConfig config) {
                    failed |= config.name().equals("unloadable");
                    super.load(config);
                  }

                  @Override
                  void execute(Batch batch, Results results) {
                    if (failed) {
                      throw InferenceException.internal("the context is lost");
                    }
                    super.execute(batch, results);
                  }
                }),
        Planted.of(
            "ERROR-03",
            "fails the whole batch for one bad request",
            () ->
                new Refusing() {
                  @Override
                  void answer(Batch batch, int i, Results results) {
                    if (isBad(batch, i)) {
                      throw InferenceException.invalid("a bad request");
                    }
                    super.answer(batch, i, results);
                  }
                }),
        Planted.of(
            "ERROR-03",
            "answers nothing behind a bad request",
            () ->
                new Refusing() {
                  @Override
                  void execute(Batch batch, Results results) {
                    for (int i = 0; i < batch.size(); i++) {
                      answer(batch, i, results);
                      if (isBad(batch, i)) {
                        return;
                      }
                    }
                  }
                }),
        Planted.of(
            "ERROR-03",
            "answers a bad request with the one before",
            () ->
                new Refusing() {
                  @Override
                  void answer(Batch batch, int i, Results results) {
                    for (String output : List.of("SAME", "OTHER")) {
                      if (results.wants(i, output)) {
                        int source = isBad(batch, i) ? Math.max(0, i - 1) : i;
                        Tensor in = batch.input(source, "IN").orElseThrow();
                        write(
                            output,
                            in.data(),
                            results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize()));
                      }
                    }
                  }
                }),
        Planted.of(
            "ERROR-03",
            "fails the batch after a bad request",
            () ->
                new Refusing() {
                  private boolean refused;

                  @Override
                  void execute(Batch batch, Results results) {
                    if (refused) {
                      throw InferenceException.internal("the last one was bad");
                    }
                    super.execute(batch, results);
                    for (int i = 0; i < batch.size(); i++) {
                      refused |= isBad(batch, i);
                    }
                  }
                }));
  }

  private static List<Planted> decoupled() {
    return List.of(
        Planted.of(
            "DEC-01",
            "sends its responses in another order each time",
            () ->
                new Decoupled() {
                  private boolean backwards;

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    Tensor in = batch.input(i, "IN").orElseThrow();
                    backwards = !backwards;
                    for (int k = 0; k < WIDTH && !batch.isCancelled(); k++) {
                      long element = backwards ? WIDTH - 1 - k : k;
                      put(results, i, in.data().get(Elements.FLOAT, element * Float.BYTES));
                      results.send(i);
                    }
                    results.finish(i);
                  }
                }),
        Planted.of(
            "DEC-01",
            "sends another response each time",
            () ->
                new Decoupled() {
                  private int times;

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    times++;
                    for (int extra = 0; extra < times && !batch.isCancelled(); extra++) {
                      put(results, i, 0);
                      results.send(i);
                    }
                    results.finish(i);
                  }
                }),
        Planted.of(
            "EXEC-12",
            "computes something else in the last of several responses",
            () ->
                new Decoupled() {
                  @Override
                  public Optional<List<Map<String, Tensor>>> expectedResponses(
                      ModelConfig config, SampleRequest request) {
                    var in = request.inputs().getFirst().data();
                    return Optional.of(
                        IntStream.range(0, WIDTH)
                            .mapToObj(k -> in.asSlice(k * 4L, 4))
                            .map(data -> new Tensor("SAME", DataType.FP32, Shape.of(1), data))
                            .map(tensor -> Map.of("SAME", tensor))
                            .toList());
                  }

                  @Override
                  float value(MemorySegment in, int element) {
                    return element < WIDTH - 1 ? super.value(in, element) : 42;
                  }
                }),
        Planted.of(
            "DEC-02",
            "sends all responses to a client that has left",
            () ->
                new Decoupled() {
                  @Override
                  boolean stops(Batch batch) {
                    return false;
                  }
                }),
        Planted.of(
            "DEC-03",
            "sends the rest to the next client",
            () ->
                new Decoupled() {
                  private final List<Float> rest = new ArrayList<>();

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    Tensor in = batch.input(i, "IN").orElseThrow();
                    List<Float> values = new ArrayList<>(rest);
                    rest.clear();
                    for (long at = 0; at < in.byteSize(); at += Float.BYTES) {
                      values.add(in.data().get(Elements.FLOAT, at));
                    }
                    for (float value : values) {
                      if (batch.isCancelled()) {
                        rest.add(value);
                      } else {
                        put(results, i, value);
                        results.send(i);
                      }
                    }
                    results.finish(i);
                  }
                }),
        Planted.of(
            "EXEC-13",
            "sends after it has finished",
            () ->
                new Decoupled() {
                  @Override
                  void answer(Batch batch, int i, Results results) {
                    super.answer(batch, i, results);
                    try {
                      results.send(i);
                    } catch (IllegalStateException ignored) {
                      // the defect: it is not told
                    }
                  }
                }),
        Planted.of(
            "EXEC-13",
            "finishes a request twice",
            () ->
                new Decoupled() {
                  @Override
                  void answer(Batch batch, int i, Results results) {
                    super.answer(batch, i, results);
                    results.finish(i);
                  }
                }));
  }

  private static List<Planted> sequences() {
    return List.of(
        Planted.of(
            "SEQ-01",
            "has one state for all sequences",
            () ->
                new Sequences() {
                  private float all;

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    float value = batch.input(i, "IN").orElseThrow().data().get(Elements.FLOAT, 0);
                    all = (is(batch, i, "START") ? 0 : all) + value;
                    if (is(batch, i, "READY") && results.wants(i, "SAME")) {
                      results
                          .allocate(i, "SAME", DataType.FP32, Shape.of(1, 1), Float.BYTES)
                          .set(Elements.FLOAT, 0, all);
                    }
                  }
                }),
        Planted.of(
            "SEQ-02",
            "does not look at START",
            () ->
                new Sequences() {
                  @Override
                  float before(Batch batch, int i) {
                    return sum(i);
                  }
                }),
        Planted.of(
            "SEQ-03",
            "fails a batch with padding",
            () ->
                new Sequences() {
                  @Override
                  void answer(Batch batch, int i, Results results) {
                    if (batch.isPadding(i)) {
                      throw InferenceException.internal("no sequence");
                    }
                    super.answer(batch, i, results);
                  }
                }),
        Planted.of(
            "SEQ-03",
            "adds padding to the sequence beside it",
            () ->
                new Sequences() {
                  private float padded;

                  @Override
                  void execute(Batch batch, Results results) {
                    padded = batch.isPadding(batch.size() - 1) ? 1 : 0;
                    super.execute(batch, results);
                  }

                  @Override
                  float before(Batch batch, int i) {
                    return super.before(batch, i) + padded;
                  }
                }));
  }
}
