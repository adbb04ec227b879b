package io.nereid.client.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.ErrorCode;
import io.nereid.client.GenerateRequest;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.ResponseStream;
import io.nereid.client.Tensor;
import io.nereid.client.WireRequest;
import io.nereid.client.rest.LyingServer.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What an interceptor that signs sees of a request is what the server gets. */
@Timeout(60)
class SignedCallsTest {
  private static final InferRequest INFER =
      InferRequest.to("a b")
          .input("A", Tensor.of(new int[] {1, 2}))
          .input("B", Tensor.of(new long[] {3}))
          .build();
  private static final GenerateRequest GENERATE = GenerateRequest.to("m").with("text", "x").build();

  static Stream<Named<Consumer<NereidClient>>> calls() {
    return Stream.of(
        Named.of("infer", client -> client.infer(INFER)),
        Named.of("inferAsync", client -> client.inferAsync(INFER).join()),
        Named.of("generate", client -> client.generate(GENERATE)),
        Named.of("generateStream", client -> client.generateStream(GENERATE).next()),
        Named.of("serverMetadata", client -> client.server().metadata()),
        Named.of("load", client -> client.models().load("m")));
  }

  private static int hash(String method, String path, byte[] body) {
    return (method + " " + path + " " + new String(body, ISO_8859_1)).hashCode();
  }

  private static Map<String, String> signature(WireRequest request) {
    ByteBuffer body = ByteBuffer.allocate(10_000);
    request.body().forEach(body::put);
    byte[] bytes = new byte[body.flip().remaining()];
    body.get(bytes);
    return Map.of("x-hash", Integer.toString(hash(request.method(), request.path(), bytes)));
  }

  private static void assertSigned(String request) {
    int end = request.indexOf("\r\n\r\n");
    String[] line = request.substring(0, request.indexOf("\r\n")).split(" ", -1);
    byte[] body = request.substring(end + 4).getBytes(ISO_8859_1);
    assertThat(request.substring(0, end)).contains("x-hash: " + hash(line[0], line[1], body));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void theServerGetsWhatWasSigned(Consumer<NereidClient> call) throws IOException {
    for (boolean gzip : new boolean[] {false, true}) {
      try (var server = new LyingServer(Answer.response(400, "", "{\"error\":\"no\"}"))) {
        var builder =
            NereidClient.builder(server.address() + "/base")
                .interceptor(outgoing -> outgoing.sign(SignedCallsTest::signature))
                // sees the same parts again
                .interceptor(outgoing -> outgoing.sign(SignedCallsTest::signature));
        try (NereidClient client = (gzip ? builder.gzip() : builder).open()) {
          assertThat(failure(client, call).sentence()).isEqualTo("no");
        }
        assertThat(server.requests()).hasSize(1).allSatisfy(SignedCallsTest::assertSigned);
      }
    }
  }

  private static NereidException failure(NereidClient client, Consumer<NereidClient> call) {
    try {
      call.accept(client);
    } catch (NereidException failure) {
      return failure;
    } catch (RuntimeException wrapped) {
      if (wrapped.getCause() instanceof NereidException failure) {
        return failure;
      }
      throw wrapped;
    }
    throw new AssertionError("the call succeeded");
  }

  @ParameterizedTest
  @MethodSource("calls")
  void aSignatureThatCannotBeMadeFailsTheCall(Consumer<NereidClient> call) throws IOException {
    try (var server = new LyingServer(Answer.response(400, "", ""));
        NereidClient client =
            NereidClient.builder(server.address())
                .interceptor(outgoing ->
                    outgoing.sign(request -> {
                      throw new IllegalStateException("no key");
                    }))
                .open()) {
      NereidException failure = failure(client, call);

      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.mayHaveRun()).isFalse();
      assertThat(failure.sentence()).endsWith("IllegalStateException: no key");
      assertThat(server.requests()).isEmpty();
    }
  }

  @Test
  void theEndOfAStreamIsSeen() throws IOException {
    String[] end = {""};
    try (var server =
            new LyingServer(
                Answer.response(200, "Content-Type: text/event-stream\n", "data: {\"a\":1}\n\n"));
        NereidClient client =
            NereidClient.builder(server.address())
                .interceptor(call -> {
                  call.header("Trace", "7");
                  call.onEnd(failure -> end[0] = call + " " + failure);
                })
                .open();
        ResponseStream<?> stream = client.generateStream(GENERATE)) {
      stream.next();
      assertThat(stream.hasNext()).isFalse();

      assertThat(server.requests().get(0)).contains("trace: 7\r\n");
      assertThat(end)
          .containsExactly("generateStream of model 'm' at " + server.address() + " null");
    }
  }
}
