package io.nereid.server.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import org.junit.jupiter.api.Test;

class GrpcErrorsTest {
  private static String sent(String text) {
    return String.valueOf(GrpcErrors.status(InferenceException.invalid(text)).getDescription());
  }

  @Test
  void theTextOfAFailureFitsTheMetadataThatClientsTake() {
    assertThat(sent("a".repeat(2_000))).isEqualTo("a".repeat(2_000));
    assertThat(sent("a".repeat(60_000))).isEqualTo("a".repeat(2_000) + "...");
    assertThat(sent("é".repeat(60_000))).isEqualTo("é".repeat(500) + "...");
    assertThat(sent("\ud83d\ude42".repeat(60_000))).isEqualTo("\ud83d\ude42".repeat(500) + "...");
    assertThat(sent("")).isEmpty();
  }
}
