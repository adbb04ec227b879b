package io.nereid.tck.backend.defects;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Wrong outputs. */
final class ExecutionDefects {
  private ExecutionDefects() {}

  /** An execution that a specimen has in place of the correct one. */
  interface Execution {
    void execute(Specimen specimen, Batch batch, Results results);
  }

  static Planted execution(String rule, String defect, Execution execution) {
    return Planted.of(
        rule,
        defect,
        () ->
            new Specimen() {
              @Override
              void execute(Batch batch, Results results) {
                execution.execute(this, batch, results);
              }
            });
  }

  /** Answers each request with an output of that type and shape. */
  private static Planted output(String rule, String defect, DataType type, Shape shape) {
    return execution(
        rule,
        defect,
        (_, batch, results) -> {
          for (int i = 0; i < batch.size(); i++) {
            long byteSize = shape.elementCount() * type.byteSize();
            results.allocate(i, "SAME", type, shape, byteSize);
            results.allocate(i, "OTHER", type, shape, byteSize);
          }
        });
  }

  private static void answer(Batch batch, Results results, int source, int i) {
    Tensor input = batch.input(source, "IN").orElseThrow();
    for (String output : List.of("SAME", "OTHER")) {
      if (results.wants(i, output)) {
        Specimen.write(
            output,
            input.data(),
            results.allocate(i, output, DataType.FP32, input.shape(), input.byteSize()));
      }
    }
  }

  static List<Planted> all() {
    List<Planted> all = new ArrayList<>(wrongOutputs());
    all.addAll(wrongRequests());
    all.addAll(OptionalInputDefects.all());
    all.addAll(wrongCalls());
    return all;
  }

  private static List<Planted> wrongOutputs() {
    return List.of(
        execution("EXEC-01", "answers no request", (_, _, _) -> {}),
        execution(
            "EXEC-01",
            "throws a RuntimeException",
            (_, _, _) -> {
              throw new IllegalStateException("a bug");
            }),
        execution(
            "EXEC-01",
            "throws an Error",
            (_, _, _) -> {
              throw new NoClassDefFoundError("com/example/Missing");
            }),
        execution(
            "EXEC-01",
            "fails every request",
            (_, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                results.fail(i, InferenceException.internal("not today"));
              }
            }),
        execution(
            "EXEC-01",
            "leaves out one of two outputs",
            (_, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                if (results.wants(i, "SAME")) {
                  Tensor in = batch.input(i, "IN").orElseThrow();
                  Elements.copy(
                      in.data(),
                      results.allocate(i, "SAME", DataType.FP32, in.shape(), in.byteSize()));
                }
              }
            }),
        output("EXEC-02", "gives FP64 for FP32", DataType.FP64, Shape.of(1, 4)),
        output("EXEC-02", "gives rows that are too short", DataType.FP32, Shape.of(1, 3)),
        output("EXEC-02", "gives a dimension too many", DataType.FP32, Shape.of(1, 4, 1)),
        output("EXEC-02", "gives no batch dimension", DataType.FP32, Shape.of(4)),
        execution(
            "EXEC-02",
            "gives fewer bytes than its shape has",
            (_, batch, results) ->
                results.allocate(
                    0, "SAME", DataType.FP32, batch.input(0, "IN").orElseThrow().shape(), 8)),
        execution(
            "EXEC-02",
            "gives a shape with -1",
            (_, _, results) -> results.allocate(0, "SAME", DataType.FP32, Shape.of(-1, 4), 16)),
        output("EXEC-03", "gives one row for any request", DataType.FP32, Shape.of(1, 4)),
        execution(
            "EXEC-03",
            "gives the rows of the batch to each request",
            (_, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                var shape = Shape.of(batch.rows(), 4);
                results.allocate(i, "SAME", DataType.FP32, shape, batch.rows() * Specimen.ROW);
              }
            }),
        execution(
            "EXEC-03",
            "gives a batch with a row too few",
            (_, batch, results) -> {
              var shape = Shape.of(batch.rows() - 1, 4);
              results.allocateBatch("SAME", DataType.FP32, shape);
            }),
        execution(
            "EXEC-03",
            "gives a batch with a row too many",
            (_, batch, results) -> {
              var shape = Shape.of(batch.rows() + 1, 4);
              results.allocateBatch("SAME", DataType.FP32, shape);
            }),
        execution(
            "EXEC-04",
            "gives the first request's values to all",
            (_, batch, results) -> {
              float first = batch.input(0, "IN").orElseThrow().data().get(Elements.FLOAT, 0);
              for (String output : List.of("SAME", "OTHER")) {
                var target =
                    results.allocateBatch(output, DataType.FP32, Shape.of(batch.rows(), 4));
                for (long at = 0; at < target.byteSize(); at += Float.BYTES) {
                  target.set(Elements.FLOAT, at, first);
                }
              }
            }),
        execution(
            "EXEC-04",
            "adds the number of rows of the batch",
            (specimen, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                Tensor in = batch.input(i, "IN").orElseThrow();
                for (String output : List.of("SAME", "OTHER")) {
                  if (results.wants(i, output)) {
                    var target =
                        results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize());
                    Specimen.write(output, in.data(), target);
                    target.set(Elements.FLOAT, 0, (float) batch.rows());
                  }
                }
              }
            }),
        Planted.of(
            "EXEC-05",
            "leaves a trace of an earlier request in an output",
            () ->
                new Specimen() {
                  private float earlier;

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    Tensor in = batch.input(i, "IN").orElseThrow();
                    for (String output : List.of("SAME", "OTHER")) {
                      if (results.wants(i, output)) {
                        var target =
                            results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize());
                        write(output, in.data(), target);
                        target.set(Elements.FLOAT, target.byteSize() - Float.BYTES, earlier);
                      }
                    }
                    earlier = in.data().get(Elements.FLOAT, 0);
                  }
                }),
        Planted.of(
            "EXEC-05",
            "answers wrongly after the first two batches of an instance",
            () ->
                new Specimen() {
                  @Override
                  ModelInstance instance() {
                    return new Instance() {
                      private int batches;

                      @Override
                      public void execute(Batch batch, Results results) {
                        batches++;
                        if (batches <= 2) {
                          super.execute(batch, results);
                          return;
                        }
                        for (String output : List.of("SAME", "OTHER")) {
                          results.allocateBatch(output, DataType.FP32, Shape.of(batch.rows(), 4));
                        }
                      }
                    };
                  }
                }));
  }

  private static List<Planted> wrongRequests() {
    return List.of(
        execution(
            "EXEC-06",
            "gives the first output whatever was asked for",
            (_, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                Tensor in = batch.input(i, "IN").orElseThrow();
                var target = results.allocate(i, "SAME", DataType.FP32, in.shape(), in.byteSize());
                Specimen.write("SAME", in.data(), target);
                if (batch.request(i).outputs().size() > 1) {
                  Specimen.write(
                      "OTHER",
                      in.data(),
                      results.allocate(i, "OTHER", DataType.FP32, in.shape(), in.byteSize()));
                }
              }
            }),
        Planted.of(
            "EXEC-06",
            "gives zeros for the second of three outputs alone",
            () ->
                new Specimen() {
                  @Override
                  ModelConfig config() {
                    return super.config()
                        .withSignature(
                            MAX_BATCH,
                            List.of(tensor("IN")),
                            List.of(tensor("SAME"), tensor("SECOND"), tensor("OTHER")));
                  }

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    Tensor in = batch.input(i, "IN").orElseThrow();
                    for (String output : batch.request(i).outputs()) {
                      var target =
                          results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize());
                      if (!batch.request(i).outputs().equals(List.of("SECOND"))) {
                        write(output, in.data(), target);
                      }
                    }
                  }
                }),
        execution(
            "EXEC-07",
            "gives all requests what the first one wants",
            (_, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                Tensor in = batch.input(i, "IN").orElseThrow();
                for (String output : batch.request(0).outputs()) {
                  Specimen.write(
                      output,
                      in.data(),
                      results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize()));
                }
              }
            }),
        execution(
            "EXEC-07",
            "computes only what the first request wants",
            (specimen, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                Tensor in = batch.input(i, "IN").orElseThrow();
                for (String output : batch.request(i).outputs()) {
                  var target =
                      results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize());
                  if (results.wants(0, output)) {
                    Specimen.write(output, in.data(), target);
                  }
                }
              }
            }),
        execution(
            "EXEC-08",
            "answers a full single request with zeros",
            (specimen, batch, results) -> {
              Tensor in = batch.input(0, "IN").orElseThrow();
              if (batch.size() == 1 && batch.rows() == Specimen.MAX_BATCH) {
                for (String output : List.of("SAME", "OTHER")) {
                  results.allocate(0, output, DataType.FP32, in.shape(), in.byteSize());
                }
              } else {
                specimen.answerAll(batch, results);
              }
            }),
        execution(
            "EXEC-08",
            "fails the largest batch",
            (specimen, batch, results) -> {
              if (batch.size() == 1 && batch.rows() == Specimen.MAX_BATCH) {
                throw InferenceException.internal("too large");
              }
              specimen.answerAll(batch, results);
            }),
        execution(
            "EXEC-11",
            "swaps requests of equal size",
            (specimen, batch, results) -> {
              boolean swapped =
                  batch.size() > 1
                      && batch.request(0).rows(specimen.config())
                          == batch.request(1).rows(specimen.config());
              for (int i = 0; i < batch.size(); i++) {
                answer(batch, results, swapped && i < 2 ? 1 - i : i, i);
              }
            }),
        execution(
            "EXEC-11",
            "swaps the requests of a batch of two",
            (specimen, batch, results) -> {
              boolean swapped = batch.size() == 2 && batch.rows() == 2;
              for (int i = 0; i < batch.size(); i++) {
                answer(batch, results, swapped ? 1 - i : i, i);
              }
            }),
        Planted.of(
            "EXEC-12",
            "computes something else",
            () ->
                new Specimen() {
                  @Override
                  public Optional<Map<String, Tensor>> expected(
                      ModelConfig config, SampleRequest request) {
                    return Optional.of(Map.of("OTHER", request.inputs().getFirst()));
                  }
                }));
  }

  private static List<Planted> wrongCalls() {
    return List.of(
        execution(
            "EXEC-09",
            "gives an output that is not declared",
            (specimen, batch, results) -> {
              specimen.answer(batch, 0, results);
              results.allocate(0, "SCORES", DataType.FP32, Shape.of(1, 4), 16);
            }),
        execution(
            "EXEC-09",
            "gives an output twice",
            (specimen, batch, results) -> {
              specimen.answer(batch, 0, results);
              specimen.answer(batch, 0, results);
            }),
        execution(
            "EXEC-09",
            "gives an output alone and for the batch",
            (specimen, batch, results) -> {
              specimen.answer(batch, 0, results);
              results.allocateBatch("SAME", DataType.FP32, Shape.of(batch.rows(), 4));
            }),
        strings("EXEC-10", "has a length beyond the end", 1, 8, 5),
        strings("EXEC-10", "leaves bytes behind the last element", 1, 8, 3),
        strings("EXEC-10", "gives fewer elements than its shape has", 2, 8, 4),
        execution(
            "EXEC-13",
            "sends a response twice",
            (specimen, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                specimen.answer(batch, i, results);
                results.send(i);
              }
              try {
                results.send(0);
              } catch (IllegalStateException ignored) {
                // the defect: it is not told
              }
            }),
        execution(
            "EXEC-13",
            "fails a request that it has answered",
            (specimen, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                specimen.answer(batch, i, results);
                results.send(i);
                results.fail(i, InferenceException.internal("too late"));
              }
            }),
        execution(
            "EXEC-13",
            "gives an output after it has sent",
            (specimen, batch, results) -> {
              specimen.answer(batch, 0, results);
              results.send(0);
              results.allocate(0, "SAME", DataType.FP32, Shape.of(1, 4), 16);
              for (int i = 1; i < batch.size(); i++) {
                specimen.answer(batch, i, results);
              }
            }),
        execution(
            "EXEC-13",
            "adds a parameter after it has sent",
            (specimen, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                specimen.answer(batch, i, results);
                results.send(i);
                results.parameter(i, "late", new Parameter.OfBoolean(true));
              }
            }),
        execution(
            "EXEC-13",
            "finishes a request of a model that is not decoupled",
            (specimen, batch, results) -> {
              specimen.answer(batch, 0, results);
              results.finish(0);
            }),
        execution(
            "EXEC-13",
            "reschedules without iterative_sequence",
            (specimen, batch, results) -> {
              specimen.answer(batch, 0, results);
              results.reschedule(0);
            }),
        execution(
            "EXEC-14",
            "ends to compute before it starts",
            (specimen, batch, results) -> {
              results.computeEnded();
              specimen.answerAll(batch, results);
            }),
        execution(
            "EXEC-14",
            "computes for a negative time",
            (specimen, batch, results) -> {
              specimen.answerAll(batch, results);
              results.computed(-1, 0);
            }));
  }

  /** A model of strings whose only element has that length. */
  private static Planted strings(String rule, String defect, int dims, int byteSize, int length) {
    return Planted.of(
        rule,
        defect,
        () ->
            new Specimen() {
              @Override
              ModelConfig config() {
                return super.config()
                    .withSignature(
                        0,
                        List.of(tensor("IN")),
                        List.of(TensorConfig.of("SAME", DataType.BYTES, Shape.of(dims))));
              }

              @Override
              void execute(Batch batch, Results results) {
                var shape = Shape.of(dims);
                results
                    .allocate(0, "SAME", DataType.BYTES, shape, byteSize)
                    .set(Elements.INT, 0, length);
              }
            });
  }
}
