package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.onnx.ort.OrtEnvironment;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.TestContext;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.TensorGenerator;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxInstanceTest {
  private static OpenModel open(String model) {
    return OpenModel.of(TestModels.underTest(TestModels.bare(model)));
  }

  private static OpenModel openUnbatched(String model, DataType in, Shape inDims, DataType out) {
    return OpenModel.of(
        TestModels.underTest(
            TestModels.unbatched(
                model,
                List.of(TensorConfig.of("IN", in, inDims)),
                TensorConfig.of("OUT", out, Shape.of(1, -1)))));
  }

  private static Outcome.Outputs answer(OpenModel model, Tensor... inputs) {
    return model.execute(List.of(List.of(inputs))).outputs(0);
  }

  private static InferenceException failure(OpenModel model, Tensor... inputs) {
    var answers = model.execute(List.of(List.of(inputs))).answers();
    return ((Outcome.Failure) answers.getFirst().getFirst()).exception();
  }

  @Test
  void addsAndSubtractsTheRowsOfABatch() {
    try (var model = open("simple")) {
      for (int round = 0; round < 3; round++) { // the first tests the predicted shape
        var inputs = new TensorGenerator(round).inputs(model.config(), 3);
        var outputs = answer(model, inputs.toArray(Tensor[]::new));

        for (long at = 0; at < 3 * 16 * 4; at += 4) {
          int left = inputs.get(0).data().get(Elements.INT, at);
          int right = inputs.get(1).data().get(Elements.INT, at);
          assertThat(Tensors.named(outputs, "OUTPUT0").data().get(Elements.INT, at))
              .isEqualTo(left + right);
          assertThat(Tensors.named(outputs, "OUTPUT1").data().get(Elements.INT, at))
              .isEqualTo(left - right);
        }
      }
    }
  }

  @Test
  void returnsAnOutputWhoseShapeDependsOnTheValues() {
    try (var model = openUnbatched("nonzero", DataType.FP32, Shape.of(-1), DataType.INT64)) {
      var some = answer(model, TestModels.floats("IN", Shape.of(4), 0, 7, 0, 9));
      Tensors.assertSame(Tensors.named(some, "OUT"), TestModels.longs("OUT", Shape.of(1, 2), 1, 3));

      var none = answer(model, TestModels.floats("IN", Shape.of(2), 0, 0));
      Tensors.assertSame(Tensors.named(none, "OUT"), TestModels.longs("OUT", Shape.of(1, 0)));
    }
  }

  @Test
  void returnsTheActualShapeWhereTheFileDeclaresAWrongOne() {
    try (var model = openUnbatched("liar", DataType.FP32, Shape.of(-1), DataType.INT64)) {
      var shorter = answer(model, TestModels.floats("IN", Shape.of(3), 0, 5, 0));
      Tensors.assertSame(Tensors.named(shorter, "OUT"), TestModels.longs("OUT", Shape.of(1, 1), 1));

      var asStated = answer(model, TestModels.floats("IN", Shape.of(2), 1, 1));
      Tensors.assertSame(
          Tensors.named(asStated, "OUT"), TestModels.longs("OUT", Shape.of(1, 2), 0, 1));
    }
  }

  @Test
  void returnsAScalarAsOneElement() {
    try (var model = open("scalar")) {
      var output = answer(model, TestModels.floats("IN", Shape.of(1), 2.5f));
      Tensors.assertSame(
          Tensors.named(output, "OUT"), TestModels.floats("OUT", Shape.of(1), -2.5f));
    }
  }

  @Test
  void usesTheModelsDefaultForAnOptionalInput() {
    var bias = TensorConfig.of("BIAS", DataType.FP32, Shape.of(4));
    var optional =
        new TensorConfig(
            bias.name(),
            bias.dataType(),
            bias.dims(),
            bias.reshape(),
            true,
            false,
            false,
            bias.format(),
            "");
    var config =
        TestModels.unbatched(
            "optional",
            List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(4)), optional),
            TensorConfig.of("OUT", DataType.FP32, Shape.of(4)));
    try (var model = OpenModel.of(TestModels.underTest(config))) {
      var in = TestModels.floats("IN", Shape.of(4), 1, 2, 3, 4);
      var given = TestModels.floats("BIAS", Shape.of(4), 1, 1, 1, 1);

      Tensors.assertSame(
          Tensors.named(answer(model, in), "OUT"),
          TestModels.floats("OUT", Shape.of(4), 11, 12, 13, 14));
      Tensors.assertSame(
          Tensors.named(answer(model, in, given), "OUT"),
          TestModels.floats("OUT", Shape.of(4), 2, 3, 4, 5));
    }
  }

  @Test
  void rejectsARequestThatLacksAnInput() {
    try (var model = open("simple")) {
      var inputs = new TensorGenerator(1).inputs(model.config(), 1);
      var failure = failure(model, inputs.getFirst());

      assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(failure).hasMessage("model 'simple': input 'INPUT1' is missing");
    }
  }

  @Test
  void preservesAnyBytesOfStrings() {
    List<byte[]> elements =
        List.of(new byte[] {'a', 0, 'b'}, new byte[] {0}, new byte[0], new byte[] {-1, -2, 0, -3});
    try (var model = open("strings_batch")) {
      var first = strings(elements.subList(0, 2));
      var second = strings(elements.subList(2, 4));
      var execution = model.execute(List.of(List.of(first), List.of(second)));

      Tensors.assertSame(Tensors.named(execution.outputs(0), "OUT"), first);
      Tensors.assertSame(Tensors.named(execution.outputs(1), "OUT"), second);
    }
  }

  private static Tensor strings(List<byte[]> elements) {
    var data = MemorySegment.ofArray(Samples.strings(elements));
    return new Tensor("IN", DataType.BYTES, Shape.of(1, elements.size()), data);
  }

  @Test
  void rejectsTruncatedStrings() {
    try (var model = open("strings_batch")) {
      var data = MemorySegment.ofArray(new byte[] {1, 0, 0, 0, 'a', 5, 0, 0, 0, 'a', 'b', 'c'});
      var failure = failure(model, new Tensor("IN", DataType.BYTES, Shape.of(1, 2), data));

      assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(failure)
          .hasMessage(
              "incomplete string data for inference input 'IN', expecting string of length 5 but"
                  + " only 3 bytes available");
    }
  }

  @Test
  void rejectsTheWrongNumberOfStrings() {
    try (var model = open("strings_batch")) {
      var data = MemorySegment.ofArray(new byte[] {1, 0, 0, 0, 'a'});
      assertThat(failure(model, new Tensor("IN", DataType.BYTES, Shape.of(1, 2), data)))
          .hasMessage("expected 2 strings for inference input 'IN', got 1");
    }
  }

  @Test
  void servesTheNextRequestAfterAFailureOfOnnxRuntime() {
    try (var model = open("simple")) {
      var first = new TensorGenerator(1).inputs(model.config(), 1).getFirst();
      var narrow =
          new Tensor("INPUT1", DataType.INT32, Shape.of(1, 8), MemorySegment.ofArray(new byte[32]));
      var failure = failure(model, first, narrow);

      assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
      assertThat(failure).hasMessageStartingWith("model 'simple': onnx runtime error 2: ");
      var good = new TensorGenerator(2).inputs(model.config(), 1).toArray(Tensor[]::new);
      assertThat(answer(model, good).tensors()).hasSize(2);
    }
  }

  @Test
  void stopsACancelledRunAndExecutesTheNext() throws Exception {
    var config =
        TestModels.unbatched(
            "loop",
            List.of(TensorConfig.of("STEPS", DataType.INT64, Shape.of(1))),
            TensorConfig.of("OUT", DataType.FP32, Shape.of(1)));
    try (var model = OpenModel.of(TestModels.underTest(config));
        var caller = Executors.newSingleThreadExecutor();
        var batch = new TestBatch(model.config())) {
      batch.add(List.of(TestModels.longs("STEPS", Shape.of(1), Long.MAX_VALUE)));
      var running = caller.submit(() -> model.execute(batch));
      Thread.sleep(100); // inside the loop, which does not end by itself
      assertThat(running.isDone()).isFalse();

      batch.cancel();
      var answers = running.get(20, TimeUnit.SECONDS).answers();
      var failure = ((Outcome.Failure) answers.getFirst().getFirst()).exception();
      assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED);

      var next = answer(model, TestModels.longs("STEPS", Shape.of(1), 3));
      Tensors.assertSame(Tensors.named(next, "OUT"), TestModels.floats("OUT", Shape.of(1), 64));
    }
  }

  @Test
  void runsWithEveryParameterSet() {
    var parameters =
        Map.of(
            "intra_op_thread_count", "2",
            "inter_op_thread_count", "2",
            "execution_mode", "1",
            "enable_mem_arena", "true",
            "enable_mem_pattern", "0",
            "session.use_device_allocator_for_initializers", "1",
            "memory.enable_memory_arena_shrinkage", "cpu:0");
    var config = TestModels.withParameters(TestModels.bare("simple"), parameters);
    try (var model = OpenModel.of(TestModels.underTest(config))) {
      var inputs = new TensorGenerator(3).inputs(model.config(), 2).toArray(Tensor[]::new);
      assertThat(answer(model, inputs).tensors()).hasSize(2);
    }
  }

  @Test
  void runsOnThreadsThatAllModelsShare(@TempDir Path otherCopy) {
    var tested = TestModels.underTest(TestModels.bare("simple"));
    // ONNX Runtime keeps the threads of its first environment until the process ends, so this test
    // loads another copy of the library.
    var options =
        Map.of(
            "enable-global-threadpool", "1",
            "intra_op_thread_count", "2",
            "cache-directory", otherCopy.toString());
    var shared =
        new BackendUnderTest(
            tested.provider(),
            TestContext.of("onnxruntime", options),
            tested.files(),
            tested.config(),
            tested.device());
    try (var model = OpenModel.of(shared)) {
      var inputs = new TensorGenerator(5).inputs(model.config(), 2).toArray(Tensor[]::new);
      assertThat(answer(model, inputs).tensors()).hasSize(2);
    }
  }

  @Test
  void releasesAllHandlesWhenClosed() {
    long before = OrtEnvironment.openHandles();
    for (String name : List.of("simple", "strings_batch", "nonzero")) {
      try (var model = open(name)) {
        var inputs = new TensorGenerator(4).inputs(model.config(), 1).toArray(Tensor[]::new);
        for (int round = 0; round < 3; round++) {
          answer(model, inputs);
        }
        assertThat(OrtEnvironment.openHandles()).isGreaterThan(before);
      }
    }
    assertThat(OrtEnvironment.openHandles()).isEqualTo(before);
  }
}
