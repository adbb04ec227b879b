package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.DetachedVerification;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.execution.StandInModel;
import io.nereid.tck.model.CallSettings;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The TCK's backend rules for text models, with a graph that another stands for. */
class TextBackendVerificationTest {
  private static final int WIDTH = 8;
  private static final String[] WORDS = {"the", "sea", "ships", "sailing", "?", "zzz"};

  @TempDir static Path directory;

  private static BackendUnderTest corrupt;

  @BeforeAll
  static void makeModels() throws IOException {
    Path folder = ServedTexts.copy("mean", directory);
    Files.writeString(folder.resolve("tokenizer.json"), "{");
    corrupt = underTest(directory, "mean");
  }

  private static BackendUnderTest underTest(Path repository, String model) {
    return underTest(repository, model, Map.of());
  }

  private static BackendUnderTest underTest(
      Path repository, String model, Map<String, String> parameters) {
    return BackendUnderTest.of(
        new TextBackendProvider(),
        new ModelFiles(repository.resolve(model), 1),
        ModelConfig.of(model, "text").toBuilder().maxBatchSize(7).parameters(parameters).build());
  }

  /** Each token's vector has its id as every number. */
  private static final class StandInGraph implements StandInModel {
    @Override
    public ModelConfig completed(ModelConfig part) {
      return part.withSignature(
          part.maxBatchSize(),
          List.of(
              TensorConfig.of(Graph.IDS, DataType.INT64, Shape.of(-1)),
              TensorConfig.of(Graph.MASK, DataType.INT64, Shape.of(-1))),
          List.of(
              TensorConfig.of("last_hidden_state", DataType.FP32, Shape.of(-1, WIDTH)),
              TensorConfig.of("logits", DataType.FP32, Shape.of(-1))));
    }

    @Override
    public List<Tensor> outputs(ModelCall call) {
      Tensor ids = call.inputs().getFirst();
      long rows = ids.shape().dim(0);
      long length = ids.shape().dim(1);
      float[] states = new float[Math.toIntExact(rows * length * WIDTH)];
      for (int i = 0; i < states.length; i++) {
        states[i] = ids.data().get(Elements.LONG, (long) i / WIDTH * Long.BYTES) + i % WIDTH;
      }
      float[] logits = new float[Math.toIntExact(rows)];
      for (int row = 0; row < rows; row++) {
        logits[row] = ids.data().get(Elements.LONG, (row * length + 1) * Long.BYTES) / 100f;
      }
      return List.of(
          tensor("last_hidden_state", Shape.of(rows, length, WIDTH), states),
          tensor("logits", Shape.of(rows, 1), logits));
    }

    private static Tensor tensor(String name, Shape shape, float[] data) {
      return new Tensor(name, DataType.FP32, shape, MemorySegment.ofArray(data));
    }
  }

  /** Gives the kit texts, and what stands for the graph. */
  interface Texts extends BackendFactory {
    @Override
    default Map<String, StandInModel> calledModels() {
      StandInModel graph = new StandInGraph();
      return Map.of("mean/graph", graph, "rerank/graph", graph);
    }

    @Override
    default List<Tensor> inputs(ModelConfig config, long rows, long seed) {
      var random = new Random(seed);
      return config.inputs().stream().map(input -> texts(input.name(), rows, random)).toList();
    }
  }

  private static Tensor texts(String name, long rows, Random random) {
    List<byte[]> texts = new ArrayList<>();
    for (long row = 0; row < rows; row++) {
      var text = new StringBuilder();
      for (int i = random.nextInt(20); i >= 0; i--) {
        text.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
      }
      texts.add(text.toString().getBytes(StandardCharsets.UTF_8));
    }
    MemorySegment data =
        MemorySegment.ofArray(new byte[Math.toIntExact(BytesElements.byteSize(texts))]);
    long at = 0;
    for (byte[] text : texts) {
      at = BytesElements.put(data, at, text);
    }
    return new Tensor(name, DataType.BYTES, Shape.of(rows, 1), data);
  }

  interface Embedding extends Texts {
    @Override
    default BackendUnderTest backend() {
      return underTest(ServedTexts.MODELS, "mean");
    }
  }

  interface Rerank extends Texts {
    @Override
    default BackendUnderTest backend() {
      return underTest(ServedTexts.MODELS, "rerank");
    }
  }

  /** More rows than two runs are detached. */
  interface Lists extends Texts {
    @Override
    default BackendUnderTest backend() {
      return underTest(
          ServedTexts.MODELS, "mean", Map.of("max_batch_texts", "1", "tokenization", "true"));
    }
  }

  @Test
  void aLongRequestThatGetsNoThreadFails() {
    var lists = new Lists() {};
    CallSettings settings =
        new CallSettings() {
          @Override
          public Map<String, StandInModel> calledModels() {
            return lists.calledModels();
          }
        };
    try (OpenModel model = OpenModel.of(lists.backend(), settings)) {
      var _ =
          model.call(() -> {
            model.instance().close(); // from now on it has no thread for a request
            return true;
          });
      var request = SampleRequest.of(List.of(texts(TextTensors.TEXT, 3, new Random(1))));

      assertThat(model.run(List.of(request)).answers().getFirst())
          .singleElement()
          .isInstanceOf(Outcome.Failure.class);
    }
  }

  @Nested
  class Detached extends DetachedVerification implements Lists {}

  @Nested
  class ExecutionOfLists extends ExecutionVerification implements Lists {}

  @Nested
  class Lifecycle extends LifecycleVerification implements Embedding {}

  @Nested
  class Execution extends ExecutionVerification implements Embedding {}

  @Nested
  class ExecutionOfPairs extends ExecutionVerification implements Rerank {}

  @Nested
  class Memory extends MemoryVerification implements Embedding {}

  @Nested
  class Threading extends ThreadingVerification implements Embedding {}

  @Nested
  class Errors extends ErrorVerification implements Embedding {
    @Override
    protected BackendUnderTest unloadable() {
      return corrupt;
    }
  }
}
