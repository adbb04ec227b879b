package io.nereid.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.testing.LogCapture;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** gRPC over TLS, from real clients. Sources: Triton, QA L0_secure_grpc. */
@Timeout(60)
class GrpcTlsTest {
  @TempDir private Path directory;
  @TempDir private Path repository;
  private TestAuthority authority;

  @BeforeEach
  void makeCertificates() throws Exception {
    authority = new TestAuthority("authority");
    authority.write(authority.issue("server"), directory);
  }

  private LocalServer server(String... more) throws IOException {
    Stream<String> files =
        Stream.of(
            "--grpc-server-cert=" + directory.resolve("cert.pem"),
            "--grpc-server-key=" + directory.resolve("key.pem"),
            "--grpc-root-cert=" + directory.resolve("roots.pem"));
    return new LocalServer(
        LocalServer.options(
            repository, Stream.concat(files, Stream.of(more)).toArray(String[]::new)),
        new CheckedBufferPool());
  }

  private static InputStream stream(String pem) {
    return new ByteArrayInputStream(pem.getBytes(UTF_8));
  }

  private TlsChannelCredentials.Builder trusting() throws IOException {
    return TlsChannelCredentials.newBuilder().trustManager(stream(authority.pem()));
  }

  private ChannelCredentials showing(X509Bundle certificate) throws IOException {
    return trusting()
        .keyManager(
            stream(certificate.getCertificatePathPEM()), stream(certificate.getPrivateKeyPEM()))
        .build();
  }

  private static ManagedChannel channel(LocalServer server, ChannelCredentials credentials) {
    return Grpc.newChannelBuilderForAddress("127.0.0.1", server.grpcPort(), credentials).build();
  }

  private static boolean isLive(ManagedChannel channel) {
    return GRPCInferenceServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(30, TimeUnit.SECONDS)
        .serverLive(ServerLiveRequest.getDefaultInstance())
        .getLive();
  }

  private static boolean isLive(LocalServer server, ChannelCredentials credentials) {
    ManagedChannel channel = channel(server, credentials);
    try {
      return isLive(channel);
    } finally {
      channel.shutdownNow();
    }
  }

  private static void assertRefused(LocalServer server, ChannelCredentials credentials) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> isLive(server, credentials))
        .satisfies(refused ->
            assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
  }

  @Test
  void servesClientsThatTrustItsCertificate() throws Exception {
    try (var server = server("--grpc-use-ssl=1")) {
      assertThat(isLive(server, trusting().build())).isTrue();
      assertThat(isLive(server, showing(authority.issue("client")))).isTrue();

      assertRefused(server, InsecureChannelCredentials.create());
      assertRefused(
          server,
          TlsChannelCredentials.newBuilder()
              .trustManager(stream(new TestAuthority("other").pem()))
              .build());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {16_384, 602_112, 3_000_001})
  void carriesTensorsBothWays(int byteSize) throws Exception {
    TckModels.extractTo(repository);
    byte[] bytes = new byte[byteSize];
    new Random(byteSize).nextBytes(bytes);
    var input =
        InferInputTensor.newBuilder().setName("INPUT0").setDatatype("UINT8").addShape(byteSize);
    try (var server = server("--grpc-use-ssl=1")) {
      ManagedChannel channel = channel(server, trusting().build());
      ModelInferResponse response =
          GRPCInferenceServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .modelInfer(
                  ModelInferRequest.newBuilder()
                      .setModelName("identity_uint8")
                      .addInputs(input)
                      .addRawInputContents(ByteString.copyFrom(bytes))
                      .build());
      channel.shutdownNow();

      assertThat(response.getRawOutputContents(0).toByteArray()).isEqualTo(bytes);
    }
  }

  @Test
  void mutualTlsServesClientsWithACertificateOfTheRootOnly() throws Exception {
    try (var server = server("--grpc-use-ssl-mutual=1")) {
      assertThat(isLive(server, showing(authority.issue("client")))).isTrue();
      assertThat(isLive(server, showing(authority.issueIndirectly("client")))).isTrue();

      assertRefused(server, trusting().build());
      assertRefused(server, showing(new TestAuthority("authority").issue("client")));
      assertRefused(server, showing(authority.issueExpired("client")));
      assertRefused(server, InsecureChannelCredentials.create());
    }
  }

  @Test
  void handshakesThatFailAreCountedWithALineInTheLog() throws Exception {
    try (var server = server("--grpc-use-ssl-mutual=1", "--allow-metrics=1", "--metrics-port=0");
        var log = new LogCapture("io.nereid")) {
      assertRefused(server, showing(new TestAuthority("authority").issue("client")));

      var _ =
          server.awaitMetric("nereid_grpc_refusals_total\\{reason=\"handshake_failed\"} [1-9]\\d*");
      assertThat(log.messages()).anyMatch(line -> line.contains("handshakes of TLS fail"));
    }
  }

  @Test
  void anOpenConnectionOutlivesAReload() throws Exception {
    try (var server = server("--grpc-use-ssl=1")) {
      ManagedChannel open = channel(server, trusting().build());
      assertThat(isLive(open)).isTrue();
      ChannelCredentials trustsFirst = trusting().build();

      authority = new TestAuthority("second authority");
      authority.write(authority.issue("second"), directory);
      server.reloadCertificates();

      assertThat(isLive(open)).isTrue();
      assertThat(isLive(server, trusting().build())).isTrue();
      assertRefused(server, trustsFirst);
      open.shutdownNow();
    }
  }

  @Test
  void speaksTls12And13AndHttp2() throws Exception {
    try (var server = server("--grpc-use-ssl=1")) {
      for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
        try (var socket = socket(server, protocol, "h2")) {
          socket.startHandshake();

          assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
          assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
        }
      }
    }
  }

  private SSLSocket socket(LocalServer server, String protocol, String application)
      throws Exception {
    var socket =
        (SSLSocket)
            authority.client().getSocketFactory().createSocket("127.0.0.1", server.grpcPort());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(new String[] {protocol});
    parameters.setApplicationProtocols(new String[] {application});
    socket.setSSLParameters(parameters);
    return socket;
  }

  /** Scans of ports must not fill the log. */
  @Test
  void closesConnectionsThatSpeakSomethingElseWithoutALine() throws Exception {
    try (var tls = server("--grpc-use-ssl=1");
        var plain = server();
        var log = new LogCapture("")) {
      for (int port : new int[] {tls.grpcPort(), plain.grpcPort()}) {
        assertThat(answer(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(UTF_8)))
            .isNotNegative();
        assertThat(answer(port, new byte[] {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252, 3, 3, 9, 9, 9, 9}))
            .isNotNegative();
      }
      assertRefused(plain, trusting().build());
      try (var other = socket(tls, "TLSv1.3", "http/1.1")) {
        other.startHandshake();
        assertThat(other.getInputStream().readAllBytes()).isEmpty();
      }

      assertThat(log.records())
          .filteredOn(record -> record.getLevel().intValue() >= Level.WARNING.intValue())
          .extracting(record -> record.getLoggerName() + ": " + record.getMessage())
          .isEmpty();
    }
  }

  /** Sends bytes, ends the output and returns how many bytes come before the end. */
  private static int answer(int port, byte[] request) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(request);
      socket.shutdownOutput();
      return socket.getInputStream().readAllBytes().length;
    }
  }
}
