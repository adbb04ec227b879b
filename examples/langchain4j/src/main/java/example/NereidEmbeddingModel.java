package example;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * An embedding model of LangChain4j on any server of the v2 protocol: tokenised here, the means of
 * the tokens' vectors taken here.
 *
 * @param tokenizer of the model, without padding
 */
public record NereidEmbeddingModel(
    NereidClient client, String model, HuggingFaceTokenizer tokenizer) implements EmbeddingModel {
  @Override
  public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
    List<CompletableFuture<Embedding>> embeddings =
        segments.stream().map(segment -> start(segment.text())).toList(); // all at once
    return Response.from(embeddings.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<Embedding> start(String text) {
    Encoding tokens = tokenizer.encode(text);
    int count = tokens.getIds().length;
    InferRequest request =
        InferRequest.to(model)
            .input("input_ids", Tensor.of(tokens.getIds(), 1, count))
            .input("attention_mask", Tensor.of(tokens.getAttentionMask(), 1, count))
            .input("token_type_ids", Tensor.of(tokens.getTypeIds(), 1, count))
            .build();
    return client
        .inferAsync(request)
        .thenApply(response -> mean(response.output("last_hidden_state").floats(), count));
  }

  private static Embedding mean(float[] vectors, int count) {
    float[] sums = new float[vectors.length / count];
    for (int i = 0; i < vectors.length; i++) {
      sums[i % sums.length] += vectors[i];
    }
    Embedding embedding = Embedding.from(sums);
    embedding.normalize(); // which makes the mean of the sum, too
    return embedding;
  }
}
