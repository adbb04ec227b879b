package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.embedding.onnx.allminilml6v2q.AllMiniLmL6V2QuantizedEmbeddingModel;
import dev.langchain4j.store.embedding.CosineSimilarity;
import io.nereid.client.NereidClient;
import io.nereid.junit.NereidTest;
import io.nereid.junit.OverGrpc;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@NereidTest(repository = "target/models")
class NereidEmbeddingModelTest {
  private static final List<TextSegment> TEXTS =
      Stream.of(
              "Nereid",
              "An inference server answers requests for models.",
              "Ein Satz mit Umlauten: äöü, and some 中文 too!",
              "A longer text. ".repeat(20))
          .map(TextSegment::from)
          .toList();

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
      EmbeddingModel inProcess = new AllMiniLmL6V2QuantizedEmbeddingModel();

      List<Embedding> vectors = served.embedAll(TEXTS).content();

      assertEquals(384, served.dimension());
      for (int i = 0; i < TEXTS.size(); i++) {
        double cosine =
            CosineSimilarity.between(vectors.get(i), inProcess.embed(TEXTS.get(i)).content());
        System.out.printf("cosine %.7f: %s%n", cosine, TEXTS.get(i).text());
        assertTrue(cosine > 0.9999, TEXTS.get(i).text() + ": " + cosine);
      }
    }
  }

  @Test
  void theVectorsAreThoseOfTheModelInProcess(NereidClient rest, @OverGrpc NereidClient grpc)
      throws IOException {
    assertSameVectors(rest);
    assertSameVectors(grpc);
  }
}
