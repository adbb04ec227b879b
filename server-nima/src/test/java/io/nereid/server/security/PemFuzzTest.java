package io.nereid.server.security;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Any file as the one with a key, certificates, and roots of clients. */
class PemFuzzTest {
  private static final List<String> LABELS =
      List.of("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "CERTIFICATE");

  @FuzzTest
  void isReadOrRejected(byte[] input) {
    FuzzedMemory.run(input, _ -> readOrReject(new String(input, ISO_8859_1)));
  }

  /** The first byte is what the others are: a key in one of its forms, or a certificate. */
  @FuzzTest
  void isReadOrRejectedInBase64(byte[] input) {
    if (input.length == 0) {
      return;
    }
    String label = LABELS.get((input[0] & 0xff) % LABELS.size());
    String content =
        Base64.getMimeEncoder().encodeToString(Arrays.copyOfRange(input, 1, input.length));
    FuzzedMemory.run(
        input,
        _ ->
            readOrReject(
                "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, content, label)));
  }

  private static void readOrReject(String text) {
    var file = new PemFile("--http-server-cert", Path.of("server.pem"), text);
    try {
      assertThat(PrivateKeyReader.read(file).getAlgorithm()).isIn("RSA", "EC", "EdDSA");
    } catch (InferenceException rejected) {
      assertThat(rejected.getMessage()).contains(file.toString());
    }
    try {
      Credentials credentials = Credentials.parse(file, file, Optional.of(file));
      assertThat(credentials.chain()).isNotEmpty();
    } catch (InferenceException rejected) {
      assertThat(rejected.getMessage()).contains(file.toString());
    }
  }
}
