package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.client.ErrorCode;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tls;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.server.security.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client over TLS, to a server that wants to know who calls. */
@Timeout(60)
class ClientTlsTest {
  @TempDir private Path ofServer;
  @TempDir private Path ofClient;
  private LocalServer server;

  @BeforeEach
  void start(@TempDir Path models) throws Exception {
    var authority = new TestAuthority("authority");
    authority.write(authority.issue("server"), ofServer);
    authority.write(authority.issue("client"), ofClient);
    server =
        new LocalServer(
            LocalServer.options(
                models,
                "--http-use-ssl=1",
                "--http-use-ssl-mutual=1",
                "--http-server-cert=" + ofServer.resolve("cert.pem"),
                "--http-server-key=" + ofServer.resolve("key.pem"),
                "--http-root-cert=" + ofServer.resolve("roots.pem"),
                "--grpc-use-ssl=1",
                "--grpc-use-ssl-mutual=1",
                "--grpc-server-cert=" + ofServer.resolve("cert.pem"),
                "--grpc-server-key=" + ofServer.resolve("key.pem"),
                "--grpc-root-cert=" + ofServer.resolve("roots.pem")),
            new CheckedBufferPool());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private NereidClient open(String scheme, Tls tls) {
    int port = scheme.equals("https") ? server.http().getPort() : server.grpcPort();
    return NereidClient.builder("%s://127.0.0.1:%d".formatted(scheme, port)).tls(tls).open();
  }

  private Tls trusting() {
    return Tls.trusting(ofServer.resolve("roots.pem"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"https", "grpcs"})
  void aClientWithAnIdentityIsServed(String scheme) {
    Tls tls = trusting().identity(ofClient.resolve("cert.pem"), ofClient.resolve("key.pem"));
    try (NereidClient client = open(scheme, tls)) {
      assertThat(client.server().isReady()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"https", "grpcs"})
  void aClientWithoutOneIsNot(String scheme) {
    try (NereidClient client = open(scheme, trusting())) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.server().metadata())
          .returns(ErrorCode.UNAVAILABLE, NereidException::code);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"https", "grpcs"})
  void aServerOfAnotherAuthorityIsNotTrusted(String scheme) {
    try (NereidClient client = open(scheme, Tls.system())) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.server().metadata())
          .returns(ErrorCode.UNAVAILABLE, NereidException::code)
          .returns(false, NereidException::mayHaveRun);
    }
  }

  @Test
  void filesThatAreNoCertificatesAreSaid() throws Exception {
    Path empty = Files.createFile(ofClient.resolve("empty.pem"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tls.trusting(empty))
        .withMessage("no certificates are read of " + empty);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> trusting().identity(ofClient.resolve("cert.pem"), empty))
        .havingCause()
        .withMessage(empty + " has no '-----BEGIN PRIVATE KEY-----'");
  }
}
