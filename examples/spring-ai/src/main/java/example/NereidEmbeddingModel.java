package example;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;

/**
 * An embedding model of Spring AI on any server of the v2 protocol: tokenised here, the means of
 * the tokens' vectors taken here.
 *
 * @param tokenizer of the model, without padding
 */
public record NereidEmbeddingModel(
    NereidClient client, String model, HuggingFaceTokenizer tokenizer) implements EmbeddingModel {
  @Override
  public EmbeddingResponse call(EmbeddingRequest request) {
    List<CompletableFuture<float[]>> vectors =
        request.getInstructions().stream().map(this::start).toList(); // all at once
    return new EmbeddingResponse(
        IntStream.range(0, vectors.size())
            .mapToObj(i -> new Embedding(vectors.get(i).join(), i))
            .toList());
  }

  @Override
  public float[] embed(Document document) {
    return embed(getEmbeddingContent(document));
  }

  private CompletableFuture<float[]> start(String text) {
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

  /** The mean of the vectors, of length 1. */
  private static float[] mean(float[] vectors, int count) {
    float[] sums = new float[vectors.length / count];
    for (int i = 0; i < vectors.length; i++) {
      sums[i % sums.length] += vectors[i];
    }
    double squares = 0;
    for (float sum : sums) {
      squares += sum * sum;
    }
    for (int i = 0; i < sums.length; i++) {
      sums[i] /= (float) Math.sqrt(squares);
    }
    return sums;
  }
}
