package io.nereid.java.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.java.Calls;
import io.nereid.java.JavaModel;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.java.TensorArrays;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models that are objects of the program. */
class GivenModelTest {
  private final AtomicInteger closed = new AtomicInteger();

  @TempDir Path directory;

  private final class Doubler implements JavaModel {
    @Override
    public ModelConfig complete(ModelConfig config) {
      return config.toBuilder()
          .inputs(TensorConfig.of("x", DataType.FP32, Shape.of(2)))
          .outputs(TensorConfig.of("y", DataType.FP32, Shape.of(2)))
          .build();
    }

    @Override
    public Response infer(Request request, Calls calls) {
      float[] x = TensorArrays.floats(request.input("x"));
      return Response.of(TensorArrays.of("y", new float[] {2 * x[0], 2 * x[1]}, 2));
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private OpenModel open(String given) {
    return open(given, Doubler::new);
  }

  private OpenModel open(String given, Supplier<?> object) {
    var provider = new JavaBackendProvider(Map.of(given, object));
    return OpenModel.of(
        BackendUnderTest.of(
            provider, new ModelFiles(directory.resolve("m"), 1), ModelConfig.of("m", "java")));
  }

  @Test
  void anObjectOfTheProgramIsAModelWithoutCodeAndWithoutPermission() {
    try (OpenModel model = open("m")) {
      var x = TensorArrays.of("x", new float[] {1, 2}, 2);
      var outputs = model.execute(List.of(List.of(x))).outputs(0);
      assertThat(TensorArrays.floats(Tensors.named(outputs, "y"))).containsExactly(2, 4);
      assertThat(closed).as("the object that has declared inputs and outputs").hasValue(1);
    }
    assertThat(closed).hasValue(2);
  }

  @Test
  void anObjectOfAnotherTypeIsRefused() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open("m", () -> "text").close())
        .withMessageContaining("model 'm': class 'java.lang.String' implements none of ");
  }

  @Test
  void anotherModelIsCodeAndNeedsPermission() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open("n").close())
        .withMessageContaining("the operator has not set --backend-config=java,allow=true");
  }
}
