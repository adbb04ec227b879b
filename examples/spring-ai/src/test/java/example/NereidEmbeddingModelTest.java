package example;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import dev.langchain4j.model.embedding.onnx.allminilml6v2q.AllMiniLmL6V2QuantizedEmbeddingModel;
import io.nereid.client.NereidClient;
import io.nereid.junit.NereidTest;
import io.nereid.junit.OverGrpc;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.EmbeddingModel;

@NereidTest(repository = "target/models")
class NereidEmbeddingModelTest {
  private static final List<String> TEXTS =
      List.of(
          "Nereid",
          "An inference server answers requests for models.",
          "Ein Satz mit Umlauten: äöü, and some 中文 too!",
          "A longer text. ".repeat(20));

  /** That of MiniLM, which is beside the model. */
  private static HuggingFaceTokenizer tokenizer() throws IOException {
    try (InputStream json =
        NereidEmbeddingModelTest.class.getResourceAsStream("/all-minilm-l6-v2-q-tokenizer.json")) {
      return HuggingFaceTokenizer.newInstance(json, Map.of("padding", "false"));
    }
  }

  private static void assertSameVectors(NereidClient client) throws IOException {
    try (HuggingFaceTokenizer tokenizer = tokenizer()) {
      EmbeddingModel served = new NereidEmbeddingModel(client, "minilm", tokenizer);
      var inProcess = new AllMiniLmL6V2QuantizedEmbeddingModel();

      List<float[]> vectors = served.embed(TEXTS);

      assertEquals(384, served.dimensions());
      for (int i = 0; i < TEXTS.size(); i++) {
        double cosine = dot(vectors.get(i), inProcess.embed(TEXTS.get(i)).content().vector());
        System.out.printf("cosine %.7f: %s%n", cosine, TEXTS.get(i));
        assertTrue(cosine > 0.9999, TEXTS.get(i) + ": " + cosine);
      }
      assertArrayEquals(vectors.getFirst(), served.embed(new Document(TEXTS.getFirst())));
    }
  }

  /** The cosine of vectors of length 1. */
  private static double dot(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  @Test
  void theVectorsAreThoseOfTheModelInProcess(NereidClient rest, @OverGrpc NereidClient grpc)
      throws IOException {
    assertSameVectors(rest);
    assertSameVectors(grpc);
  }
}
