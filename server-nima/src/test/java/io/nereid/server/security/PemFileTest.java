package io.nereid.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.server.security.PemFile.Block;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The blocks of a file. */
class PemFileTest {
  private static PemFile file(String text) {
    return new PemFile("--http-server-key", Path.of("k.pem"), text);
  }

  @Test
  void hasTheBlocksBetweenOtherText() {
    PemFile file =
        file(
            "a - b\n-----BEGIN A 1-----\nYQ==\n-----END A 1-----\nc\n-----BEGIN B-----b-----END B-----");

    assertThat(file.blocks()).containsExactly(new Block("A 1", "\nYQ==\n"), new Block("B", "b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-----",
        "-----BEGIN A",
        "-----BEGIN A-----",
        "-----BEGIN A-----a-----",
        "-----BEGIN A-----a-----END A",
        "-----BEGIN A-----a-----END B-----",
        "-----BEGIN -----a-----END -----",
        "-----BEGIN A-----a-----BEGIN A-----a-----END A-----",
        "-----BEGIN A-----a-----END A----------BEGIN"
      })
  void isCutOffIfABlockHasNoEnd(String text) {
    assertThatThrownBy(file(text)::blocks)
        .isInstanceOf(InferenceException.class)
        .hasMessage("'k.pem' (--http-server-key) is cut off: a block has no end");
  }

  @Test
  void dashesInAContentTakeNoStack() {
    String content = "-a".repeat(500_000);

    assertThat(file("-----BEGIN A-----" + content + "-----END A-----").blocks())
        .containsExactly(new Block("A", content));
  }
}
