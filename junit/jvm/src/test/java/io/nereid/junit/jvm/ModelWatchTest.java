package io.nereid.junit.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.InferRequest;
import io.nereid.client.Tensor;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.java.BatchJavaModel;
import io.nereid.java.Calls;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.java.TensorArrays;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.CallResponse;
import io.nereid.spi.Model;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Elements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Models of other types than one request at a time, which leave the response of a call open. */
@Timeout(120)
class ModelWatchTest {
  private static final String CONFIG =
      """
      max_batch_size: 4
      input { name: "x" data_type: TYPE_FP32 dims: [ 1 ] }
      output { name: "y" data_type: TYPE_FP32 dims: [ 1 ] }
      """;

  private static final String LEAK =
      "model 'caller' has not closed the response of its call of model 'called'";

  @TempDir Path models;

  @BeforeEach
  void makeModel() throws IOException {
    Files.createDirectories(models.resolve("caller"));
    Files.writeString(
        models.resolve("caller/config.pbtxt"),
        "backend: \"java\"\n"
            + CONFIG
            + "parameters { key: \"calls\" value: { string_value: \"called\" } }\n");
  }

  private List<String> leaksOf(Class<?> type) throws IOException {
    try (ModelTester tester =
        ModelTester.of(models.resolve("caller"))
            .code(type)
            .stub("called", CONFIG, (request, _) -> Response.of(request.input("x").named("y")))
            .open()) {
      Tensor two = Tensor.of(new float[] {2}, 1, 1);
      assertThat(
              tester
                  .client()
                  .infer(InferRequest.to("caller").input("x", two).build())
                  .output("y")
                  .floats())
          .containsExactly(2);
      tester.awaitEnd();
      return tester.leaks();
    }
  }

  /** A model of batches. */
  public static final class Batches implements BatchJavaModel {
    @Override
    public List<Response> infer(List<Request> requests, List<Calls> calls) {
      List<Response> responses = new ArrayList<>();
      for (int i = 0; i < requests.size(); i++) {
        CallResponse open = calls.get(i).infer("called", requests.get(i).input("x"));
        float[] y = TensorArrays.floats(open.output("y"));
        responses.add(Response.of(TensorArrays.of("y", y, y.length, 1)));
      }
      return responses;
    }
  }

  /** A model that is a backend. */
  public static final class Own implements BackendProvider {
    @Override
    public String name() {
      return "own";
    }

    @Override
    public Backend open(BackendContext context) {
      return new Passing();
    }
  }

  private record Passing() implements Backend, Model, ModelInstance {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return this;
    }

    @Override
    public ModelInstance open(InstanceSettings settings) {
      return this;
    }

    @Override
    public void execute(Batch batch, Results results) {
      for (int i = 0; i < batch.size(); i++) {
        var x = batch.input(i, "x").orElseThrow();
        CallResponse open = batch.calls(i).infer(ModelCall.to("called").input("x", x).build());
        var y = open.output("y");
        Elements.copy(y.data(), results.allocate(i, "y", y.dataType(), y.shape(), y.byteSize()));
      }
    }

    @Override
    public void close() {}
  }

  @Test
  void aModelOfBatchesIsWatched() throws IOException {
    assertThat(leaksOf(Batches.class)).containsExactly(LEAK);
  }

  @Test
  void aModelThatIsABackendIsWatched() throws IOException {
    assertThat(leaksOf(Own.class)).containsExactly(LEAK);
  }
}
