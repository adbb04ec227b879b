package io.nereid.tck.http;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.HttpWire;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of sequences. Each test has sequences of its own. */
public abstract class HttpSequenceVerification extends HttpVerification {
  private static final String MODEL = "sequence_echo";

  /** How many sequences {@code sequence_echo} serves at a time. */
  private static final int SLOTS = 4;

  private static final String START = ",\"sequence_start\":true";
  private static final String END = ",\"sequence_end\":true";

  private HttpWire.Response send(String parameters, int value) {
    return send(wire(), parameters, value);
  }

  private static HttpWire.Response send(HttpWire connection, String parameters, int value) {
    return infer(
        connection,
        MODEL,
        requestWith(
            "\"parameters\":{%s}".formatted(parameters),
            input("INPUT0", "INT32", "[1,1]", "[%d]".formatted(value))));
  }

  private void echoed(String parameters, int value) {
    echoed(send(parameters, value), value);
  }

  private static void echoed(HttpWire.Response response, int value) {
    assertThat(integers(output(answered(response), "OUTPUT0"))).containsExactly((long) value);
  }

  private static String slot(int number) {
    return "\"sequence_id\":\"slot %d\"".formatted(number);
  }

  private void fillSlots() {
    for (int slot = 0; slot < SLOTS; slot++) {
      echoed(slot(slot) + START, slot);
    }
  }

  private void notStarted(String id, String parameters) {
    rejected(
        send(parameters, 1),
        ("inference request for sequence %s to model 'sequence_echo' must specify the START flag"
                + " on the first request of the sequence")
            .formatted(id));
  }

  @RuleCases("HTTP-SEQ-01")
  @ValueSource(strings = {"11", "18446744073709551615", "\"http eleven\""})
  void servesASequenceFromItsStartToItsEnd(String id) {
    String sequence = "\"sequence_id\":" + id;

    echoed(sequence + ",\"sequence_start\":true", 1);
    echoed(sequence, 2);
    echoed(sequence + ",\"sequence_start\":false,\"sequence_end\":true", 3);

    notStarted(id.replace("\"", ""), sequence);
  }

  @Rule("HTTP-SEQ-01")
  void tellsANumberFromTheSameText() {
    echoed("\"sequence_id\":12,\"sequence_start\":true", 1);

    notStarted("12", "\"sequence_id\":\"12\"");

    echoed("\"sequence_id\":12,\"sequence_end\":true", 2);
  }

  @RuleTable(
      """
      HTTP-SEQ-02 | "sequence_start":true                    | inference request to model 'sequence_echo' must specify a non-zero or non-empty correlation ID
      HTTP-SEQ-02 | "sequence_id":0,"sequence_start":true    | inference request to model 'sequence_echo' must specify a non-zero or non-empty correlation ID
      HTTP-SEQ-02 | "sequence_id":"","sequence_start":true   | inference request to model 'sequence_echo' must specify a non-zero or non-empty correlation ID
      HTTP-SEQ-04 | "sequence_id":14                         | inference request for sequence 14 to model 'sequence_echo' must specify the START flag on the first request of the sequence
      HTTP-SEQ-04 | "sequence_id":15,"sequence_end":true     | inference request for sequence 15 to model 'sequence_echo' must specify the START flag on the first request of the sequence
      """)
  void rejectsARequestWithoutSequenceAndOfOneThatWasNotStarted(String parameters, String text) {
    rejected(send(parameters, 1), text);
  }

  @Rule("HTTP-SEQ-03")
  void rejectsMoreThanOneRow() {
    var json =
        requestWith(
            "\"parameters\":{\"sequence_id\":13,\"sequence_start\":true,\"sequence_end\":true}",
            input("INPUT0", "INT32", "[2,1]", "[1,2]"));

    rejected(
        infer(MODEL, json),
        "inference request to model 'sequence_echo' must specify batch-size 1 due to requirements"
            + " of sequence batcher");
  }

  @Rule("HTTP-SEQ-05")
  void rejectsATextThatIsTooLongForAnId() {
    echoed(
        "\"sequence_id\":\"%s\",\"sequence_start\":true,\"sequence_end\":true"
            .formatted("x".repeat(128)),
        1);
    rejected(
        send("\"sequence_id\":\"%s\",\"sequence_start\":true".formatted("x".repeat(129)), 1),
        501,
        "string correlation ID cannot be longer than 128 characters");
  }

  @Rule("HTTP-SEQ-04")
  void rejectsARequestOfASequenceThatHasEnded() {
    echoed("\"sequence_id\":16,\"sequence_start\":true,\"sequence_end\":true", 1);

    notStarted("16", "\"sequence_id\":16");
  }

  @Rule("HTTP-SEQ-06")
  void waitsForAnotherSequenceToEnd() throws Exception {
    fillSlots();
    try (var connection = server().connect();
        var executor = Executors.newSingleThreadExecutor()) {
      var waiting = executor.submit(() -> send(connection, "\"sequence_id\":17" + START + END, 17));
      assertThatExceptionOfType(TimeoutException.class)
          .isThrownBy(() -> waiting.get(300, MILLISECONDS));

      echoed(slot(0) + END, 0);

      echoed(waiting.get(), 17);
      for (int slot = 1; slot < SLOTS; slot++) {
        echoed(slot(slot) + END, slot);
      }
    }
  }

  @Rule("HTTP-SEQ-07")
  void refusesASequenceThatHasWaitedForItsTimeout() {
    fillSlots();
    long sent = System.nanoTime();

    var refused = send("\"sequence_id\":18" + START + ",\"timeout\":300000", 18);

    assertThat(Duration.ofNanos(System.nanoTime() - sent)).isGreaterThan(Duration.ofMillis(300));
    assertThat(error(refused, 503))
        .isEqualTo("timeout of the corresponding sequence has been expired");
    for (int slot = 0; slot < SLOTS; slot++) {
      echoed(slot(slot) + END, slot); // a sequence that has a slot has no timeout
    }
    notStarted("18", "\"sequence_id\":18");
  }
}
