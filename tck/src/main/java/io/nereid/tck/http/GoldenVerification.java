package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.support.GoldenVectors;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Whole exchanges, byte for byte in the request; JSON in a response may differ in its blanks. */
public abstract class GoldenVerification extends HttpVerification {
  @TestFactory
  @Rule("HTTP-GOLDEN-01")
  Stream<DynamicTest> answersAsTheVectorSays() {
    return GoldenVectors.load().stream()
        .map(vector -> DynamicTest.dynamicTest(vector.name(), () -> verify(vector)));
  }

  private void verify(GoldenVectors.Vector vector) {
    var expected = HttpWire.parse(vector.response());
    var actual = wire().exchange(vector.request());

    assertThat(actual.status()).as(vector.origin()).isEqualTo(expected.status());
    assertThat(actual.headers()).as(vector.origin()).containsAllEntriesOf(expected.headers());
    boolean isJson =
        expected.body().length > 0 && expected.header("Inference-Header-Content-Length").isEmpty();
    if (isJson) {
      assertThat(Json.parse(actual.body()))
          .as(vector.origin())
          .isEqualTo(Json.parse(expected.body()));
    } else {
      assertThat(actual.body()).as(vector.origin()).isEqualTo(expected.body());
    }
  }
}
