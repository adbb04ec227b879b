package io.nereid.client.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.client.ClientBuilder;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RetryPolicy;
import io.nereid.client.Tensor;
import io.nereid.client.rest.LyingServer.Answer;
import io.nereid.client.rest.LyingServer.Then;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every call ends, and none is made twice, whatever the server sends. */
@Timeout(60)
class LyingServerTest {
  private static final InferRequest REQUEST =
      InferRequest.to("m").id("1").input("A", Tensor.of(new int[] {1, 2})).build();
  private static final String OUTPUT =
      "{'model_name':'m','model_version':'1','id':'1','outputs':[{'name':'B','datatype':'INT32','shape':[2],'data':[3,4]}]}"
          .replace('\'', '"');

  private static ClientBuilder builder(String address) {
    return NereidClient.builder(address)
        .retries(new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(1)));
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  private static Arguments lie(String name, ErrorCode code, String sentence, Answer answer) {
    return Arguments.of(name, code, sentence, answer);
  }

  private static Answer body(String body) {
    return Answer.response(200, "", json(body));
  }

  private static Answer binary(String length, String body) {
    return Answer.response(200, "Inference-Header-Content-Length: " + length + "\n", json(body));
  }

  private static final String BINARY =
      "{'outputs':[{'name':'B','datatype':'INT32','shape':[2],'parameters':{'binary_data_size':8}}]}";

  static Stream<Arguments> lies() {
    return Stream.of(
        lie(
            "no answer, and the end",
            ErrorCode.UNAVAILABLE,
            "the connection broke",
            Answer.of("", "", Then.CLOSE)),
        lie(
            "a reset",
            ErrorCode.UNAVAILABLE,
            "the connection broke",
            Answer.of("", "", Then.RESET)),
        lie(
            "no HTTP",
            ErrorCode.BAD_RESPONSE,
            "Invalid status line",
            Answer.of("SSH-2.0-x\n\n", "", Then.CLOSE)),
        lie(
            "half of a head",
            ErrorCode.UNAVAILABLE,
            "the connection broke",
            Answer.of("HTTP/1.1 200 OK\nContent-Le", "", Then.CLOSE)),
        lie(
            "half of a body",
            ErrorCode.UNAVAILABLE,
            "the connection broke",
            Answer.of(
                "HTTP/1.1 200 OK\nContent-Length: 100\n\n", OUTPUT.substring(0, 50), Then.CLOSE)),
        lie(
            "half of a chunk",
            ErrorCode.UNAVAILABLE,
            "the connection broke",
            Answer.of("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", "ff\r\n{", Then.CLOSE)),
        lie(
            "a length that is none",
            ErrorCode.BAD_RESPONSE,
            "",
            Answer.of("HTTP/1.1 200 OK\nContent-Length: much\n\n", OUTPUT, Then.CLOSE)),
        lie(
            "a length of exabytes, and the end",
            ErrorCode.BAD_RESPONSE,
            "longer than the limit of",
            Answer.of(
                "HTTP/1.1 200 OK\nContent-Length: 9000000000000000000\n\n", OUTPUT, Then.CLOSE)),
        lie(
            "a length of a gigabyte, and the end",
            ErrorCode.UNAVAILABLE,
            "the connection broke",
            Answer.of("HTTP/1.1 200 OK\nContent-Length: 1000000000\n\n", OUTPUT, Then.CLOSE)),
        lie("nothing", ErrorCode.BAD_RESPONSE, "cannot be read", body("")),
        lie("no JSON", ErrorCode.BAD_RESPONSE, "cannot be read", body("<html>")),
        lie(
            "half of a JSON",
            ErrorCode.BAD_RESPONSE,
            "cannot be read",
            body(OUTPUT.substring(0, 50))),
        lie("an array", ErrorCode.BAD_RESPONSE, "the response is START_ARRAY", body("[]")),
        lie(
            "outputs that are none",
            ErrorCode.BAD_RESPONSE,
            "'outputs' is VALUE_NUMBER_INT",
            body("{'outputs':3}")),
        lie(
            "an output without a shape",
            ErrorCode.BAD_RESPONSE,
            "no 'name', 'datatype' or 'shape'",
            body("{'outputs':[{'name':'B','datatype':'INT32','data':[3,4]}]}")),
        lie(
            "an unknown type",
            ErrorCode.BAD_RESPONSE,
            "'INT3' is no data type",
            body("{'outputs':[{'name':'B','datatype':'INT3','shape':[2],'data':[3,4]}]}")),
        lie(
            "too few elements",
            ErrorCode.BAD_RESPONSE,
            "has 2 elements, and 4 bytes are 1 of them",
            body("{'outputs':[{'name':'B','datatype':'INT32','shape':[2],'data':[3]}]}")),
        lie(
            "a negative shape",
            ErrorCode.BAD_RESPONSE,
            "a dimension is negative",
            body("{'outputs':[{'name':'B','datatype':'INT32','shape':[-2],'data':[]}]}")),
        lie(
            "a shape of too many elements",
            ErrorCode.BAD_RESPONSE,
            "overflow",
            body(
                "{'outputs':[{'name':'B','datatype':'INT32','shape':[9223372036854775807,3],'data':[]}]}")),
        lie(
            "an element of another type",
            ErrorCode.BAD_RESPONSE,
            "cannot be read",
            body("{'outputs':[{'name':'B','datatype':'INT32','shape':[1],'data':['x']}]}")),
        lie(
            "an element out of range",
            ErrorCode.BAD_RESPONSE,
            "cannot be read",
            body(
                "{'outputs':[{'name':'B','datatype':'INT64','shape':[1],'data':[9223372036854775808]}]}")),
        lie(
            "an output without data",
            ErrorCode.BAD_RESPONSE,
            "the output 'B' has no data",
            body("{'outputs':[{'name':'B','datatype':'INT32','shape':[2]}]}")),
        lie(
            "an output twice",
            ErrorCode.BAD_RESPONSE,
            "the output 'B' comes twice",
            body(
                "{'outputs':[{'name':'B','datatype':'INT32','shape':[0],'data':[]},{'name':'B','datatype':'INT32','shape':[0],'data':[]}]}")),
        lie(
            "another request's answer",
            ErrorCode.BAD_RESPONSE,
            "answers the request '2'",
            body("{'id':'2','outputs':[]}")),
        lie(
            "a JSON length that is none",
            ErrorCode.BAD_RESPONSE,
            "'12abc', and the body has",
            binary("12abc", OUTPUT)),
        lie(
            "a JSON length beyond the body",
            ErrorCode.BAD_RESPONSE,
            "is '9999'",
            binary("9999", OUTPUT)),
        lie("a negative JSON length", ErrorCode.BAD_RESPONSE, "is '-1'", binary("-1", OUTPUT)),
        lie(
            "bytes too few",
            ErrorCode.BAD_RESPONSE,
            "the output 'B' has 8 bytes, and 7 are left",
            binary("" + BINARY.length(), BINARY + "1234567")),
        lie(
            "bytes too many",
            ErrorCode.BAD_RESPONSE,
            "1 bytes follow the last output",
            binary("" + BINARY.length(), BINARY + "123456789")),
        lie(
            "a binary size that is none",
            ErrorCode.BAD_RESPONSE,
            "bytes, and 0 are left",
            body(
                "{'outputs':[{'name':'B','datatype':'INT32','shape':[2],'parameters':{'binary_data_size':-8}}]}")),
        lie(
            "gzip that is none",
            ErrorCode.BAD_RESPONSE,
            "cannot be decompressed",
            Answer.response(200, "Content-Encoding: gzip\n", OUTPUT)),
        lie(
            "an unknown encoding",
            ErrorCode.BAD_RESPONSE,
            "cannot be decompressed",
            Answer.response(200, "Content-Encoding: br\n", OUTPUT)),
        lie(
            "a redirect",
            ErrorCode.BAD_RESPONSE,
            "HTTP status 302",
            Answer.response(302, "Location: http://127.0.0.1:1/\n", "")),
        lie(
            "no content",
            ErrorCode.BAD_RESPONSE,
            "HTTP status 204",
            Answer.of("HTTP/1.1 204 No\n\n", "", Then.KEEP)),
        lie(
            "a proxy that gives up",
            ErrorCode.UNAVAILABLE,
            "HTTP status 502: <html>",
            Answer.response(502, "", "<html>")),
        lie(
            "a proxy's 503",
            ErrorCode.UNAVAILABLE,
            "HTTP status 503: upstream",
            Answer.response(503, "", "upstream")),
        lie(
            "a proxy that waits no more",
            ErrorCode.DEADLINE_EXCEEDED,
            "HTTP status 504",
            Answer.response(504, "", "")),
        lie(
            "a failure",
            ErrorCode.INTERNAL,
            "boom",
            Answer.response(500, "", json("{'error':'boom'}"))));
  }

  @Test
  void whatAServerLeavesNullCountsAsLeftOut() throws IOException {
    String nulls =
        "{'model_name':'m','model_version':null,'id':null,'parameters':null,'outputs':[{'name':'B',"
            + "'datatype':'INT32','shape':[2],'parameters':null,'data':[3,4]}]}";
    String size =
        "{'outputs':[{'name':'B','datatype':'INT32','shape':[1],'parameters':{'binary_data_size':null},'data':[3]}]}";
    try (var server = new LyingServer(body(nulls), body(size));
        var client = NereidClient.connect(server.address())) {
      InferResponse response = client.infer(REQUEST);

      assertThat(response.version()).isEmpty();
      assertThat(response.id()).isEmpty();
      assertThat(response.parameters()).isEmpty();
      assertThat(response.output("B").ints()).containsExactly(3, 4);
      assertThat(client.infer(REQUEST).output("B").ints()).containsExactly(3);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lies")
  void aLieEndsTheCallOnce(String name, ErrorCode code, String sentence, Answer answer)
      throws IOException {
    try (var server = new LyingServer(answer);
        NereidClient client = builder(server.address()).open()) {
      NereidException failure =
          catchThrowableOfType(NereidException.class, () -> client.infer(REQUEST));
      CompletableFuture<InferResponse> async = client.inferAsync(REQUEST);

      assertThat(failure).as("a failure").isNotNull();
      assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
      assertThat(failure.sentence()).contains(sentence);
      assertThat(failure.mayHaveRun()).isTrue();
      assertThat(failure.asked()).isEqualTo("infer of model 'm' (id '1') at " + server.address());
      assertThat(catchThrowableOfType(CompletionException.class, async::join).getCause())
          .isInstanceOfSatisfying(
              NereidException.class, same -> assertThat(same.code()).isEqualTo(code));
      assertThat(server.requests()).hasSize(2);
    }
  }

  static Stream<Answer> hangs() {
    return Stream.of(
        Answer.of("", "", Then.HANG),
        Answer.of("HTTP/1.1 200 OK\n", "", Then.HANG),
        Answer.of("HTTP/1.1 200 OK\nContent-Length: 100\n\n", "", Then.HANG),
        Answer.of("HTTP/1.1 200 OK\nContent-Length: 1000\n\n", OUTPUT, Then.HANG),
        Answer.of("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", "ff\r\n{", Then.HANG),
        Answer.of("HTTP/1.1 200 OK\n\n", OUTPUT, Then.HANG));
  }

  @ParameterizedTest
  @MethodSource("hangs")
  void aServerThatHangsIsLeftAtTheDeadline(Answer answer) throws IOException {
    try (var server = new LyingServer(answer);
        NereidClient client = builder(server.address()).deadline(Duration.ofMillis(300)).open()) {
      NereidException failure =
          catchThrowableOfType(NereidException.class, () -> client.infer(REQUEST));

      assertThat(failure).isNotNull();
      assertThat(failure.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
      assertThat(server.requests()).hasSizeLessThan(2); // none if the machine was too busy
      assertThat(catchThrowableOfType(CompletionException.class, client.inferAsync(REQUEST)::join))
          .hasMessageContaining("the deadline of 300 ms has passed (DEADLINE_EXCEEDED)");
      server.awaitClosed();
    }
  }
}
