package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.RuleCases;
import io.nereid.tck.TckFiles;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole exchanges kept as bytes: a folder each, with {@code request.http} as it goes over the wire,
 * {@code response.http} with the headers that matter, and {@code origin.txt}. {@code index.tsv}
 * lists the folders. JSON in a response may differ in its blanks.
 */
public abstract class GoldenVerification extends HttpVerification {
  static Stream<String> vectors() {
    return TckFiles.text("golden/index.tsv").lines();
  }

  @RuleCases("HTTP-GOLDEN-01")
  @MethodSource("vectors")
  void answersAsTheVectorSays(String name) {
    var expected = HttpWire.parse(TckFiles.bytes("golden/" + name + "/response.http"));
    var actual = wire().exchange(TckFiles.bytes("golden/" + name + "/request.http"));
    String origin = TckFiles.text("golden/" + name + "/origin.txt").strip();

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
}
