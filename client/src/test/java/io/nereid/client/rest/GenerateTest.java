package io.nereid.client.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.client.ErrorCode;
import io.nereid.client.GenerateRequest;
import io.nereid.client.Generated;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.ResponseStream;
import io.nereid.client.rest.LyingServer.Answer;
import io.nereid.client.rest.LyingServer.Then;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Caller of the generate extension, to servers that send whatever a test says. */
@Timeout(60)
class GenerateTest {
  private static final GenerateRequest REQUEST =
      GenerateRequest.to("llm")
          .with("text_input", "a\"b")
          .with("n", 3)
          .with("x", List.of(1, 2))
          .build();
  private static final String HEAD =
      "HTTP/1.1 200 OK\nContent-Type: text/event-stream; charset=utf-8\n";

  private static Answer events(String text, Then then) {
    return Answer.of(
        HEAD + (then == Then.KEEP ? "Content-Length: " + text.length() + "\n" : "") + "\n",
        text.replace('\'', '"'),
        then);
  }

  private static List<Object> texts(NereidClient client) {
    List<Object> texts = new ArrayList<>();
    try (ResponseStream<Generated> responses = client.generateStream(REQUEST)) {
      while (responses.hasNext()) {
        texts.add(responses.next().get("t"));
      }
    }
    return texts;
  }

  @Test
  void valuesGoAsTheyAreAndComeByName() throws IOException {
    String answer =
        "{\"model_name\":\"llm\",\"model_version\":\"2\",\"text_output\":\"c\",\"n\":[1,2.5,true]}";
    try (var server = new LyingServer(Answer.response(200, "", answer));
        NereidClient client = NereidClient.connect(server.address())) {
      Generated generated = client.generate(REQUEST);

      assertThat(generated.model()).isEqualTo("llm");
      assertThat(generated.version()).isEqualTo("2");
      assertThat(generated.text("text_output")).isEqualTo("c");
      assertThat(generated.get("n")).isEqualTo(List.of(1L, 2.5, true));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> generated.get("m"))
          .withMessage("model 'llm' answered without 'm'; it has [text_output, n]");
      assertThat(server.requests().get(0))
          .startsWith("POST /v2/models/llm/generate HTTP/1.1")
          .endsWith("{\"text_input\":\"a\\\"b\",\"n\":3,\"x\":[1,2]}");
    }
  }

  @Test
  void eventsComeInOrder() throws IOException {
    String events =
        "data: {'model_name':'m','t':1}\n\n: a comment\nevent: x\ndata:{'t':\r\ndata: 2}\r\n\r\ndata: {'t':'ü'}\n\n"
            .replace("ü", "Ã¼");
    try (var server = new LyingServer(events(events, Then.KEEP));
        NereidClient client = NereidClient.connect(server.address())) {
      assertThat(texts(client)).containsExactly(1L, 2L, "ü");
      assertThat(texts(client)).containsExactly(1L, 2L, "ü");
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void thousandsOfEventsComeWhole() throws IOException {
    StringBuilder events = new StringBuilder();
    List<Object> expected = new ArrayList<>();
    for (long i = 0; i < 20_000; i++) {
      events.append("data: {'t':").append(i).append("}\n\n");
      expected.add(i);
    }
    try (var server = new LyingServer(events(events.toString(), Then.CLOSE));
        NereidClient client = NereidClient.connect(server.address())) {
      assertThat(texts(client)).isEqualTo(expected);
    }
  }

  private static Arguments lie(String name, ErrorCode code, String sentence, Answer answer) {
    return Arguments.of(name, code, sentence, answer);
  }

  static Stream<Arguments> lies() {
    return Stream.of(
        lie(
            "an error after a response",
            ErrorCode.UNKNOWN,
            "no memory",
            events("data: {'t':1}\n\ndata: {'error':'no memory'}\n\n", Then.KEEP)),
        lie(
            "an error with a status",
            ErrorCode.NOT_FOUND,
            "no model",
            Answer.response(404, "", "{\"error\":\"no model\"}")),
        lie(
            "an error with a status, as an event",
            ErrorCode.INVALID_ARGUMENT,
            "no input",
            Answer.response(
                400, "Content-Type: text/event-stream\n", "data: {\"error\":\"no input\"}\n\n")),
        lie(
            "an event that is no JSON",
            ErrorCode.BAD_RESPONSE,
            "an event cannot be read",
            events("data: [DONE]\n\n", Then.KEEP)),
        lie(
            "a response without events",
            ErrorCode.BAD_RESPONSE,
            "no events",
            Answer.response(200, "", "{\"t\":1}")),
        lie(
            "the end in the middle",
            ErrorCode.UNAVAILABLE,
            "the connection broke",
            Answer.of(HEAD + "Content-Length: 100\n\n", "data: {\"t\":1}\n\n", Then.CLOSE)),
        lie(
            "no answer",
            ErrorCode.UNAVAILABLE,
            "the connection broke",
            Answer.of("", "", Then.CLOSE)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lies")
  void aLieEndsTheStreamOnce(String name, ErrorCode code, String sentence, Answer answer)
      throws IOException {
    try (var server = new LyingServer(answer);
        NereidClient client = NereidClient.connect(server.address())) {
      assertThatExceptionOfType(NereidException.class)
          .as(name)
          .isThrownBy(() -> texts(client))
          .withMessageContaining(sentence)
          .returns(code, NereidException::code);
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void aStreamThatHangsIsLeftAtItsDeadline() throws IOException {
    try (var server = new LyingServer(events("data: {'t':1}\n\n", Then.HANG));
        NereidClient client =
            NereidClient.connect(server.address()).withDeadline(Duration.ofMillis(300))) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> texts(client))
          .returns(ErrorCode.DEADLINE_EXCEEDED, NereidException::code);
      server.awaitClosed();
    }
  }

  @Test
  void aStreamThatIsClosedBeforeItsFirstResponseIsCancelled() throws IOException {
    try (var server = new LyingServer(Answer.of("", "", Then.HANG));
        NereidClient client = NereidClient.connect(server.address())) {
      ResponseStream<Generated> responses = client.generateStream(REQUEST);
      while (server.requests().isEmpty()) {
        Thread.onSpinWait();
      }

      responses.close();

      server.awaitClosed();
      assertThat(responses.hasNext()).isFalse();
    }
  }

  @Test
  void anErrorUnderStatus200IsAnError() throws IOException {
    try (var server = new LyingServer(Answer.response(200, "", "{\"error\":\"two responses\"}"));
        NereidClient client = NereidClient.connect(server.address())) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.generate(REQUEST))
          .withMessageContaining("generate of model 'llm' at")
          .withMessageContaining("two responses (UNKNOWN)");
    }
  }
}
