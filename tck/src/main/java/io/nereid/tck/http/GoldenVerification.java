package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Whole exchanges kept as bytes: a folder each, with {@code request.http} as it goes over the wire,
 * {@code response.http} with the headers that matter, and {@code origin.txt}. {@code index.tsv}
 * lists the folders. JSON in a response may differ in its blanks.
 */
public abstract class GoldenVerification extends HttpVerification {
  @TestFactory
  @Rule("HTTP-GOLDEN-01")
  Stream<DynamicTest> answersAsTheVectorSays() {
    return text("index.tsv").lines().map(name -> DynamicTest.dynamicTest(name, () -> verify(name)));
  }

  private void verify(String name) {
    var expected = HttpWire.parse(read(name + "/response.http"));
    var actual = wire().exchange(read(name + "/request.http"));
    String origin = text(name + "/origin.txt").strip();

    assertThat(actual.status()).as(origin).isEqualTo(expected.status());
    assertThat(actual.headers()).as(origin).containsAllEntriesOf(expected.headers());
    boolean isJson =
        expected.body().length > 0 && expected.header("Inference-Header-Content-Length").isEmpty();
    if (isJson) {
      assertThat(Json.parse(actual.body())).as(origin).isEqualTo(Json.parse(expected.body()));
    } else {
      assertThat(actual.body()).as(origin).isEqualTo(expected.body());
    }
  }

  private static String text(String name) {
    return new String(read(name), UTF_8);
  }

  private static byte[] read(String name) {
    try (InputStream in = Rule.class.getResourceAsStream("golden/" + name)) {
      if (in == null) {
        throw new IllegalStateException("resource golden/" + name + " is missing");
      }
      return in.readAllBytes();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
