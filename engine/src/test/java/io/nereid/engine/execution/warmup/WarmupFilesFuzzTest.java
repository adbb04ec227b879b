package io.nereid.engine.execution.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelWarmup;
import io.nereid.request.ModelKey;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Any file as the data of a warm-up's sample. */
class WarmupFilesFuzzTest {
  private static final ModelConfig MODEL =
      ModelConfig.of("m", "b")
          .withSignature(
              4,
              List.of(
                  TensorConfig.of("F", io.nereid.tensor.DataType.FP32, Shape.of(-1)),
                  TensorConfig.of("S", io.nereid.tensor.DataType.BYTES, Shape.of(-1))),
              List.of());

  private static final ModelWarmup SAMPLE =
      ModelWarmup.newBuilder()
          .setName("s")
          .setBatchSize(1)
          .putInputs("F", input(DataType.TYPE_FP32, 2))
          .putInputs("S", input(DataType.TYPE_STRING, 2))
          .putInputs("other", input(DataType.TYPE_STRING, 1))
          .build();

  private final Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/data");

  private static ModelWarmup.Input input(DataType type, long dim) {
    return ModelWarmup.Input.newBuilder()
        .setDataType(type)
        .addDims(dim)
        .setInputDataFile("data")
        .build();
  }

  /** All inputs of a sample, those that the model declares and another, read the same file. */
  @FuzzTest
  void isReadOrRejected(byte[] input) {
    for (String name : SAMPLE.getInputsMap().keySet()) {
      ModelWarmup only =
          SAMPLE.toBuilder().clearInputs().putInputs(name, SAMPLE.getInputsOrThrow(name)).build();
      FuzzedMemory.run(input, memory -> readOrReject(input, only, memory));
    }
    FuzzedMemory.run(input, memory -> readOrReject(input, SAMPLE, memory));
  }

  private void readOrReject(byte[] input, ModelWarmup sample, FuzzedMemory memory) {
    try {
      Files.write(file, input);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    var warmup = new Warmup(new ModelKey("m", 1), MODEL, List.of(sample), _ -> Optional.of(file));
    try (WarmupSamples samples = warmup.prepare(memory)) {
      for (Tensor tensor : samples.samples().getFirst().request().inputs()) {
        long elements = tensor.shape().elementCount();
        if (tensor.dataType().hasFixedSize()) {
          assertThat(tensor.byteSize()).isEqualTo(elements * tensor.dataType().byteSize());
        } else {
          assertThat(tensor.byteSize()).isGreaterThanOrEqualTo(elements * BytesElements.PREFIX);
        }
      }
    } catch (InferenceException rejected) {
      assertThat(rejected.getMessage()).isNotEmpty();
    }
  }
}
