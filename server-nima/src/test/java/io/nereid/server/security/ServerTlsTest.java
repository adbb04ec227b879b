package io.nereid.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ServerTlsTest {
  @TempDir private Path directory;
  private TestAuthority authority;

  @BeforeEach
  void makeAuthority() throws Exception {
    authority = new TestAuthority("authority");
  }

  private TlsSettings settings(boolean mutual) {
    return new TlsSettings(
        "http",
        directory.resolve("cert.pem"),
        directory.resolve("key.pem"),
        mutual ? Optional.of(directory.resolve("roots.pem")) : Optional.empty());
  }

  private ServerTls open() {
    return ServerTls.open(settings(false), InstantSource.system());
  }

  private X509Bundle write(String name) throws Exception {
    X509Bundle bundle = authority.issue(name);
    authority.write(bundle, directory);
    return bundle;
  }

  /** A connection of two threads, over which a byte goes both ways. */
  private static SSLSession handshake(ServerTls tls, SSLContext client) throws IOException {
    try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var served =
          CompletableFuture.runAsync(() -> {
            try (Socket socket = tls.socket(listener.accept(), "http/1.1")) {
              socket.getOutputStream().write(socket.getInputStream().read());
            } catch (IOException _) {
              // the client learns it
            }
          });
      try (var socket =
          (SSLSocket)
              client
                  .getSocketFactory()
                  .createSocket(listener.getInetAddress(), listener.getLocalPort())) {
        socket.getOutputStream().write(7);
        int answer = socket.getInputStream().read();
        if (answer != 7) {
          throw new IOException("the connection ended");
        }
        return socket.getSession();
      } finally {
        served.join();
      }
    }
  }

  private static String subject(SSLSession session) throws IOException {
    return ((X509Certificate) session.getPeerCertificates()[0]).getSubjectX500Principal().getName();
  }

  private void assertRejected(String message) {
    assertThatExceptionOfType(InferenceException.class).isThrownBy(this::open).withMessage(message);
  }

  @Test
  void showsItsCertificateAndThoseThatSignedIt() throws Exception {
    authority.write(authority.issueIndirectly("server"), directory);

    SSLSession session = handshake(open(), authority.client());

    assertThat(subject(session)).isEqualTo("CN=server");
    assertThat(session.getProtocol()).isEqualTo("TLSv1.3");
  }

  @Test
  void aClientMayNotBeginAnotherHandshake() throws Exception {
    write("server");
    ServerTls tls = open();
    try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var served =
          CompletableFuture.runAsync(() -> {
            try (Socket socket = tls.socket(listener.accept(), "http/1.1")) {
              var _ = socket.getInputStream().transferTo(socket.getOutputStream());
            } catch (IOException _) {
              // the client learns it
            }
          });
      try (var socket =
          (SSLSocket)
              authority
                  .client()
                  .getSocketFactory()
                  .createSocket(listener.getInetAddress(), listener.getLocalPort())) {
        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
        socket.getOutputStream().write(7);
        assertThat(socket.getInputStream().read()).isEqualTo(7);

        assertThatExceptionOfType(IOException.class)
            .isThrownBy(() -> {
              socket.startHandshake();
              socket.getOutputStream().write(8);
              assertThat(socket.getInputStream().read()).isEqualTo(8);
            });
      }
      served.join();
    }
  }

  @Test
  void aClientWithoutAcceptedCertificateIsRefusedIfOneIsRequired() throws Exception {
    write("server");
    var tls = ServerTls.open(settings(true), InstantSource.system());
    var others = new TestAuthority("authority");

    assertThat(subject(handshake(tls, authority.client(authority.issue("client")))))
        .isEqualTo("CN=server");
    for (SSLContext refused :
        List.of(
            authority.client(),
            authority.client(others.issue("client")),
            authority.client(authority.issueExpired("client")))) {
      assertThatExceptionOfType(IOException.class).isThrownBy(() -> handshake(tls, refused));
    }
  }

  @Test
  void newConnectionsSeeTheCertificateThatWasReadLast() throws Exception {
    write("first");
    var tls = open();
    assertThat(subject(handshake(tls, authority.client()))).isEqualTo("CN=first");
    write("second");

    assertThat(subject(handshake(tls, authority.client()))).isEqualTo("CN=first");
    try (var log = new LogCapture(ServerTls.class.getName())) {
      tls.reload();
      tls.reload();

      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("http: reloaded certificate of CN=second, serial number ");
    }
    assertThat(subject(handshake(tls, authority.client()))).isEqualTo("CN=second");
    assertThat(tls.context().createSSLEngine().getUseClientMode()).isFalse();
  }

  @Test
  void aKeyThatIsReplacedBeforeItsCertificateIsNeverUsedWithTheOldOne() throws Exception {
    write("first");
    var tls = open();
    X509Bundle second = authority.issue("second");
    try (var log = new LogCapture(ServerTls.class.getName())) {
      Files.writeString(directory.resolve("key.pem"), second.getPrivateKeyPEM());
      tls.reload();
      assertThat(subject(handshake(tls, authority.client()))).isEqualTo("CN=first");

      Files.writeString(directory.resolve("cert.pem"), second.getCertificatePathPEM());
      tls.reload();
      assertThat(subject(handshake(tls, authority.client()))).isEqualTo("CN=second");
      assertThat(log.messages()).singleElement().asString().startsWith("http: reloaded");
    }
  }

  @Test
  void filesThatStayUnusableAreReportedOnceAndThePresentOnesStay() throws Exception {
    write("first");
    var tls = open();
    try (var log = new LogCapture(ServerTls.class.getName())) {
      Files.delete(directory.resolve("key.pem"));
      tls.reload();
      assertThat(log.messages()).isEmpty();
      tls.reload();
      tls.reload();

      assertThat(log.messages())
          .containsExactly(
              "http: changed certificates cannot be used, the present ones stay in use: cannot read"
                  + " '%s' (--http-server-key): no such file"
                      .formatted(directory.resolve("key.pem")));
      assertThat(subject(handshake(tls, authority.client()))).isEqualTo("CN=first");

      write("second");
      tls.reload();
      assertThat(subject(handshake(tls, authority.client()))).isEqualTo("CN=second");
    }
  }

  /** As in volumes of Kubernetes, where a link to a directory of all files is replaced. */
  @Test
  void followsASymbolicLinkThatIsReplaced() throws Exception {
    for (String name : List.of("first", "second")) {
      Path target = Files.createDirectory(directory.resolve(name));
      authority.write(authority.issue(name), target);
    }
    Path link = directory.resolve("..data");
    Files.createSymbolicLink(link, Path.of("first"));
    for (String file : List.of("cert.pem", "key.pem")) {
      Files.createSymbolicLink(directory.resolve(file), Path.of("..data", file));
    }
    var tls = open();
    assertThat(subject(handshake(tls, authority.client()))).isEqualTo("CN=first");

    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("second"));
    tls.reload();

    assertThat(subject(handshake(tls, authority.client()))).isEqualTo("CN=second");
  }

  @Test
  void aRemovedRootEndsTheSessionsOfItsClients() throws Exception {
    write("server");
    var tls = ServerTls.open(settings(true), InstantSource.system());
    SSLContext client = authority.client(authority.issue("client"));
    var _ = handshake(tls, client);

    Files.writeString(directory.resolve("roots.pem"), new TestAuthority("other").pem());
    tls.reload();

    assertThatExceptionOfType(IOException.class).isThrownBy(() -> handshake(tls, client));
  }

  @Test
  void warnsOfACertificateThatHasExpired() throws Exception {
    authority.write(authority.issueExpired("old"), directory);
    try (var log = new LogCapture(ServerTls.class.getName())) {
      var _ = open();

      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("http: the certificate of CN=old expired at ");
    }
  }

  @ParameterizedTest
  @CsvSource({"rw-r--r--, 644", "rw----r--, 604", "rw--w----, 620", "rw-rw----, 660"})
  void warnsOfAPrivateKeyThatOthersCanReadOrChange(String mode, String octal) throws Exception {
    Path key = directory.resolve("key.pem");
    String warning =
        "http: the private key '%s' (--http-server-key) has the mode %s, so that other users can"
                .formatted(key, octal)
            + " read or change it: expected 600, 400, or 640 for a group";
    write("server");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));
    try (var log = new LogCapture(ServerTls.class.getName())) {
      var tls = open();
      assertThat(log.messages()).containsExactly(warning);

      write("again");
      Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));
      tls.reload();
      assertThat(log.messages()).hasSize(3).last().isEqualTo(warning);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-------", "r--------", "rw-r-----", "r--r-----"})
  void doesNotWarnOfAPrivateKeyOfItsOwnerOrAGroup(String mode) throws Exception {
    write("server");
    Files.setPosixFilePermissions(
        directory.resolve("key.pem"), PosixFilePermissions.fromString(mode));
    try (var log = new LogCapture(ServerTls.class.getName())) {
      var _ = open();

      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void namesTheFileThatIsMissing() throws Exception {
    write("server");
    Path certificate = directory.resolve("cert.pem");
    Files.delete(certificate);

    assertRejected("cannot read '%s' (--http-server-cert): no such file".formatted(certificate));

    Files.createDirectory(certificate);
    assertRejected("cannot read '%s' (--http-server-cert): Is a directory".formatted(certificate));
  }

  @Test
  void namesTheFileThatIsNoPem() throws Exception {
    write("server");
    Path certificate = directory.resolve("cert.pem");
    Files.write(certificate, new byte[] {0x30, (byte) 0x82, 1, 2});

    assertRejected(
        "'%s' (--http-server-cert) has no certificate: expected PEM, -----BEGIN CERTIFICATE-----"
            .formatted(certificate));

    Files.write(certificate, new byte[(1 << 20) + 1]);
    assertRejected(
        "'%s' (--http-server-cert) is larger than 1 MiB: expected PEM".formatted(certificate));
  }

  @Test
  void namesTheCertificateThatIsMalformed() throws Exception {
    write("server");
    Path certificate = directory.resolve("cert.pem");
    Files.writeString(
        certificate, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(this::open)
        .withMessageStartingWith(
            "certificate 1 in '%s' (--http-server-cert) is malformed: ".formatted(certificate));
  }

  @Test
  void rejectsTheKeyOfAnotherCertificate() throws Exception {
    X509Bundle server = write("server");
    Path key = directory.resolve("key.pem");
    for (X509Bundle other :
        List.of(authority.issue("other"), authority.issue("other", Algorithm.rsa2048))) {
      Files.writeString(key, other.getPrivateKeyPEM());

      assertRejected(
          "the private key in '%s' (--http-server-key) does not belong to the certificate in '%s'"
                  .formatted(key, directory.resolve("cert.pem"))
              + " (--http-server-cert)");
    }
    Files.writeString(key, server.getPrivateKeyPEM());
    var _ = open();
  }

  @Test
  void rejectsCertificatesInAnotherOrderThanTheChain() throws Exception {
    X509Bundle server = write("server");
    Path certificate = directory.resolve("cert.pem");
    Files.writeString(
        certificate, server.getCertificatePEM() + authority.issue("other").getCertificatePEM());

    assertRejected(
        "certificate 2 in '%s' (--http-server-cert) did not sign the one before it: expected the"
                .formatted(certificate)
            + " server's certificate first, then the one that signed it, and so on");
  }
}
