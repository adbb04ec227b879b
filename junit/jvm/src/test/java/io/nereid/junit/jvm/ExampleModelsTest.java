package io.nereid.junit.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.ResponseStream;
import io.nereid.client.Tensor;
import io.nereid.java.Response;
import io.nereid.java.TensorArrays;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples of Java models, without the models that they call. */
@Timeout(120)
class ExampleModelsTest {
  private static final Path EXAMPLES = Path.of("../../examples");

  private static InferRequest sentences(String text) {
    return InferRequest.to("sentences").input("text", Tensor.of(new String[] {text})).build();
  }

  @Test
  void aDecoupledModelSendsAResponseForEachSentence() throws IOException {
    List<String> found = new ArrayList<>();
    try (ModelTester tester = ModelTester.of(EXAMPLES.resolve("java-models/sentences")).open()) {
      try (ResponseStream<InferResponse> responses =
          tester.client().stream(sentences("It rains. Does it? Yes!"))) {
        while (responses.hasNext()) {
          InferResponse response = responses.next();
          found.add(
              response.output("index").ints()[0] + " " + response.output("sentence").strings()[0]);
        }
      }
      try (ResponseStream<InferResponse> none = tester.client().stream(sentences(""))) {
        assertThat(none.hasNext()).isFalse();
      }
    }
    assertThat(found).containsExactly("0 It rains.", "1 Does it?", "2 Yes!");
  }

  @Test
  void aDecoupledModelStopsOnceItsRequestIsCancelled() throws IOException {
    try (ModelTester tester = ModelTester.of(EXAMPLES.resolve("java-models/sentences")).open()) {
      try (ResponseStream<InferResponse> responses =
          tester.client().stream(sentences("It rains. ".repeat(500)))) {
        assertThat(responses.next().output("index").ints()).containsExactly(0);
      }
      tester.awaitEnd();
    }
  }

  @Test
  void theDigitsOfAPageAreReadInLines() throws IOException {
    byte[] page = new byte[20 * 20];
    page[2 * 20 + 3] = (byte) 255;
    page[2 * 20 + 12] = (byte) 255;
    page[15 * 20 + 4] = (byte) 255;
    String ensemble = Files.readString(EXAMPLES.resolve("models/digits_ensemble/config.pbtxt"));
    try (ModelTester tester =
        ModelTester.of(EXAMPLES.resolve("java-models/digits_page"))
            .stub(
                "digits_finder",
                (request, calls) ->
                    Response.of(
                        TensorArrays.of("ink", TensorArrays.bytes(request.input("page")), 20, 20)))
            .stub(
                "digits_ensemble",
                ensemble,
                (request, calls) -> {
                  int rows = (int) request.rows();
                  return Response.of(
                      TensorArrays.of("label", Collections.nCopies(rows, "one"), rows, 1),
                      TensorArrays.of("probability", new float[rows], rows, 1));
                })
            .open()) {
      InferResponse response =
          tester
              .client()
              .infer(
                  InferRequest.to("digits_page")
                      .input("page", Tensor.of(DataType.UINT8, page, 20, 20))
                      .build());
      assertThat(response.output("text").strings()).containsExactly("one one\none");
      assertThat(response.output("boxes").shape()).containsExactly(3, 4);
    }
  }
}
