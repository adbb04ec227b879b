package io.nereid.benchmarks.torture.attack.budget;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scale;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.HttpAnswer;
import io.nereid.benchmarks.torture.wire.RepeatedBytes;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Documents of gzip that unpack to up to 60 MB of JSON, some of them valid. Each must be answered.
 *
 * @param clients how many send each document at the same time
 * @param answerBytes how large an answer may be
 */
public record JsonBombs(int clients, long answerBytes, List<Document> documents)
    implements Attack.Script {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final long SMALL = 4_096;
  private static final String INPUT =
      "{\"name\":\"INPUT0\",\"datatype\":\"FP32\",\"shape\":[1],\"data\":[1]}";

  /** A document for a model. */
  public record Document(String name, String model, Function<Scale, RepeatedBytes> bytes) {
    /** For {@code identity_fp32}: {@code repeated} comes {@code count} times. */
    static Document of(String name, String begin, String repeated, int count, String end) {
      return new Document(
          name,
          "identity_fp32",
          scale -> RepeatedBytes.of(begin, repeated, scale.count(count), end));
    }
  }

  public static List<Attack> all() {
    return List.of(objects(), strings());
  }

  private static Attack objects() {
    String valid = "{\"inputs\":[" + INPUT + "]";
    return Attack.onMemory(
        "json-many-objects",
        "gzip of 60 KB with millions of inputs, outputs, dimensions, parameters; an id of 60 MB, names of 10 MB",
        new JsonBombs(
            2,
            SMALL,
            List.of(
                Document.of("inputs", "{\"inputs\":[{}", ",{}", 20_000_000, "]}"),
                Document.of("outputs", valid + ",\"outputs\":[{}", ",{}", 20_000_000, "]}"),
                Document.of(
                    "shape",
                    "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"FP32\",\"shape\":[1",
                    ",1",
                    30_000_000,
                    "],\"data\":[1]}]}"),
                Document.of(
                    "parameters", valid + ",\"parameters\":{\"x\":1", ",\"a\":1", 10_000_000, "}}"),
                Document.of("id", "{\"id\":\"", "i", 60_000_000, "\",\"inputs\":[" + INPUT + "]}"),
                Document.of(
                    "input's name",
                    "{\"inputs\":[{\"name\":\"",
                    "n",
                    10_000_000,
                    "\",\"datatype\":\"FP32\",\"shape\":[1],\"data\":[1]}]}"),
                Document.of(
                    "output's name",
                    valid + ",\"outputs\":[{\"name\":\"",
                    "n",
                    10_000_000,
                    "\"}]}"),
                Document.of(
                    "datatype",
                    "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"",
                    "F",
                    10_000_000,
                    "\",\"shape\":[1],\"data\":[1]}]}"))));
  }

  private static Attack strings() {
    Function<Scale, RepeatedBytes> bytes =
        scale -> {
          int count = scale.count(10_000_000);
          return RepeatedBytes.of(
              "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"BYTES\",\"shape\":[%d],\"data\":[\"\""
                  .formatted(count),
              ",\"\"",
              count - 1,
              "]}]}");
        };
    return Attack.onMemory(
        "json-empty-strings",
        "gzip of 30 KB with 10,000,000 empty strings for a BYTES tensor, by four clients",
        new JsonBombs(
            4, Long.MAX_VALUE, List.of(new Document("strings", "identity_bytes", bytes))));
  }

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    List<String> answers = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    for (Document document : documents) {
      byte[] request =
          Requests.gzip(document.model(), document.bytes().apply(scene.scale()).gzip());
      var results = Crowd.counted(clients, () -> answer(scene.target().http(), request));
      answers.add(document.name() + " " + results);
      results.keySet().stream()
          .filter(result -> !result.matches("\\d{3}"))
          .map(result -> document.name() + ": " + result)
          .forEach(violations::add);
    }
    return new AttackOutcome(String.join("; ", answers), violations);
  }

  /** The status; or what is wrong with the answer. */
  private String answer(InetSocketAddress server, byte[] request) {
    try {
      HttpAnswer answer = SingleExchange.of(server, TIMEOUT, request);
      return answer.byteSize() > answerBytes
          ? "%d with %d bytes".formatted(answer.status(), answer.byteSize())
          : Integer.toString(answer.status());
    } catch (IOException e) {
      return SingleExchange.noAnswer(e);
    }
  }
}
