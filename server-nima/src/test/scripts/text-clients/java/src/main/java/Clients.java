import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.NotFoundException;
import com.openai.models.embeddings.EmbeddingCreateParams;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.cohere.CohereScoringModel;
import dev.langchain4j.model.jina.JinaScoringModel;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel;
import dev.langchain4j.model.scoring.ScoringModel;
import java.util.List;
import java.util.concurrent.Callable;
import org.springframework.ai.document.MetadataMode;
import org.springframework.ai.openai.OpenAiEmbeddingOptions;
import org.springframework.ai.openai.api.OpenAiApi;
import org.springframework.ai.retry.RetryUtils;

/** Java's libraries, unchanged, pointed at a server: a row for each call. */
public final class Clients {
  private static final List<TextSegment> DOCUMENTS =
      List.of(TextSegment.from("a dog"), TextSegment.from("a cat"));

  private static boolean failed;

  private Clients() {}

  /**
   * Prints the rows; ends with 1 if one has failed.
   *
   * @param arguments the address of the server
   */
  public static void main(String... arguments) {
    String server = arguments[0];
    openAi(server);
    row(
        "langchain4j-open-ai",
        "`OpenAiEmbeddingModel.embedAll`",
        () -> {
          var model =
              OpenAiEmbeddingModel.builder()
                  .baseUrl(server + "/v1")
                  .apiKey("none")
                  .modelName("minilm")
                  .maxRetries(0)
                  .build();
          var found = model.embedAll(List.of(TextSegment.from("a"), TextSegment.from("bcd")));
          return vectors(found.content().stream().map(each -> each.vector()).toList())
              + ", "
              + found.tokenUsage().totalTokenCount()
              + " tokens";
        });
    row(
        "langchain4j-cohere",
        "`CohereScoringModel.scoreAll`",
        () ->
            scores(
                CohereScoringModel.builder()
                    .baseUrl(server + "/v1/")
                    .apiKey("none")
                    .modelName("ranker")
                    .maxRetries(0)
                    .build()));
    row(
        "langchain4j-jina",
        "`JinaScoringModel.scoreAll`",
        () ->
            scores(
                JinaScoringModel.builder()
                    .baseUrl(server + "/v1/")
                    .apiKey("none")
                    .modelName("ranker")
                    .maxRetries(0)
                    .build()));
    row(
        "spring-ai-openai",
        "`OpenAiEmbeddingModel.embed`",
        () -> {
          var api = OpenAiApi.builder().baseUrl(server).apiKey("none").build();
          var model =
              new org.springframework.ai.openai.OpenAiEmbeddingModel(
                  api,
                  MetadataMode.EMBED,
                  OpenAiEmbeddingOptions.builder().model("minilm").build(),
                  RetryUtils.SHORT_RETRY_TEMPLATE);
          return vectors(model.embed(List.of("a", "bcd")));
        });
    System.exit(failed ? 1 : 0);
  }

  private static void openAi(String server) {
    OpenAIClient client =
        OpenAIOkHttpClient.builder().baseUrl(server + "/v1").apiKey("none").maxRetries(0).build();
    row(
        "openai-java",
        "`embeddings().create`, base64 by itself",
        () -> {
          var found =
              client
                  .embeddings()
                  .create(
                      EmbeddingCreateParams.builder()
                          .model("minilm")
                          .inputOfArrayOfStrings(List.of("a", "bcd"))
                          .build());
          return vectors(found.data().stream().map(each -> floats(each.embedding())).toList());
        });
    row("openai-java", "`models().list`", () -> client.models().list().data().size() + " models");
    row(
        "openai-java",
        "an unknown model",
        () -> {
          try {
            client
                .embeddings()
                .create(EmbeddingCreateParams.builder().model("x").input("a").build());
          } catch (NotFoundException unknown) {
            return "NotFoundException, `" + unknown.code().orElseThrow() + "`";
          }
          throw new AssertionError("it was answered");
        });
  }

  private static float[] floats(List<Float> values) {
    float[] floats = new float[values.size()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = values.get(i);
    }
    return floats;
  }

  private static void row(String library, String call, Callable<String> attempt) {
    String result;
    try {
      result = attempt.call();
    } catch (Throwable failure) { // any: it is the row's result
      failed = true;
      result = "FAILED: " + failure;
    }
    System.out.printf("| %s | %s | %s |%n", library, call, result);
  }

  private static String vectors(List<float[]> found) {
    boolean isRight =
        found.size() == 2
            && found.get(0)[0] == 1
            && found.get(1)[0] == 3
            && found.get(1).length == 8;
    if (!isRight) {
      throw new AssertionError("other vectors");
    }
    return found.size() + " vectors";
  }

  private static String scores(ScoringModel model) {
    var found = model.scoreAll(DOCUMENTS, "cat");
    if (!found.content().equals(List.of(0.125, 0.875))) {
      throw new AssertionError(found);
    }
    return "2 scores, " + found.tokenUsage().totalTokenCount() + " tokens";
  }
}
