package io.nereid.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.testing.LogCapture;
import io.nereid.server.LocalServer;
import io.nereid.server.NereidCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.logging.Level;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** HTTP and metrics over TLS, from the JDK's client and from sockets. */
@Timeout(60)
class HttpTlsTest {
  private static final Path MODELS = Path.of("..", "examples", "models");

  @TempDir private Path directory;
  private TestAuthority authority;

  @BeforeEach
  void makeCertificates() throws Exception {
    authority = new TestAuthority("authority");
    authority.write(authority.issue("server"), directory);
  }

  private LocalServer server(String... more) throws IOException {
    Stream<String> others =
        Stream.of(
            "--http-server-cert=" + directory.resolve("cert.pem"),
            "--http-server-key=" + directory.resolve("key.pem"),
            "--http-root-cert=" + directory.resolve("roots.pem"),
            "--model-control-mode=explicit",
            "--load-model=identity_fp32");
    return new LocalServer(
        LocalServer.options(MODELS, Stream.concat(others, Stream.of(more)).toArray(String[]::new)),
        new CheckedBufferPool());
  }

  private static URI https(URI plain) {
    return URI.create("https" + plain.toString().substring("http".length()));
  }

  private static int get(SSLContext context, URI uri) throws IOException, InterruptedException {
    try (var client = HttpClient.newBuilder().sslContext(context).build()) {
      return client
          .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
          .statusCode();
    }
  }

  private static URI live(LocalServer server) {
    return https(server.http()).resolve("/v2/health/live");
  }

  private static void assertRefused(SSLContext client, URI uri) {
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> get(client, uri));
  }

  private static SSLSocket socket(SSLContext client, URI uri) throws IOException {
    return (SSLSocket) client.getSocketFactory().createSocket("127.0.0.1", uri.getPort());
  }

  private static int liveness(Socket socket, String connection) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(
        "GET /v2/health/live HTTP/1.1\r\nHost: a\r\nConnection: %s\r\n\r\n"
            .formatted(connection)
            .getBytes(UTF_8));
    String head = "";
    while (!head.endsWith("\r\n\r\n")) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        throw new IOException("no response: " + head);
      }
      head += (char) next;
    }
    return Integer.parseInt(head.substring(9, 12));
  }

  private static String subject(SSLSocket socket) throws IOException {
    return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
        .getSubjectX500Principal()
        .getName();
  }

  @Test
  void servesClientsThatTrustItsCertificate() throws Exception {
    try (var server = server("--http-use-ssl=1")) {
      assertThat(get(authority.client(), live(server))).isEqualTo(200);
      assertThat(get(authority.client(authority.issue("client")), live(server))).isEqualTo(200);

      assertRefused(new TestAuthority("other").client(), live(server));
      assertRefused(authority.client(), server.http().resolve("/v2/health/live"));
    }
  }

  @Test
  void mutualTlsServesClientsWithACertificateOfTheRootOnly() throws Exception {
    try (var server = server("--http-use-ssl-mutual=1")) {
      assertThat(get(authority.client(authority.issue("client")), live(server))).isEqualTo(200);
      assertThat(get(authority.client(authority.issueIndirectly("client")), live(server)))
          .isEqualTo(200);

      var others = new TestAuthority("authority");
      assertRefused(authority.client(), live(server));
      assertRefused(authority.client(others.issue("client")), live(server));
      assertRefused(authority.client(authority.issueExpired("client")), live(server));
    }
  }

  @Test
  void handshakesThatFailAreCountedWithALineInTheLog() throws Exception {
    try (var server = server("--http-use-ssl-mutual=1", "--allow-metrics=1", "--metrics-port=0");
        var log = new LogCapture("io.nereid")) {
      assertRefused(authority.client(), live(server));
      assertRefused(authority.client(new TestAuthority("authority").issue("client")), live(server));

      String metrics =
          server.awaitMetric("nereid_http_refusals_total\\{reason=\"handshake_failed\"} [1-9]\\d*");
      assertThat(metrics)
          .contains("nereid_certificate_expiry_timestamp_seconds{listener=\"http\"}");
      assertThat(log.messages())
          .filteredOn(line -> line.contains("handshakes of TLS fail"))
          .singleElement()
          .asString()
          .contains("the last of client 127.0.0.1: ");
    }
  }

  @Test
  void metricsHaveTlsIfAsked() throws Exception {
    try (var server =
            server(
                "--http-use-ssl-mutual=1",
                "--allow-metrics=1",
                "--metrics-port=0",
                "--metrics-use-ssl=1");
        var plain = server("--http-use-ssl-mutual=1", "--allow-metrics=1", "--metrics-port=0")) {
      URI metrics = server.metrics().resolve("/metrics");
      SSLContext known = authority.client(authority.issue("client"));

      assertThat(get(known, https(metrics))).isEqualTo(200);
      assertRefused(authority.client(), https(metrics));
      assertRefused(known, metrics);
      assertThat(get(known, plain.metrics().resolve("/metrics"))).isEqualTo(200);
    }
  }

  @Test
  void bodiesOfManyRecordsArriveWhole() throws Exception {
    int count = 300_000;
    ByteBuffer values = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      values.putFloat(i);
    }
    byte[] json =
        """
        {"inputs":[{"name":"INPUT0","shape":[%d],"datatype":"FP32",
        "parameters":{"binary_data_size":%d}}],"outputs":[{"name":"OUTPUT0",
        "parameters":{"binary_data":true}}]}\
        """
            .formatted(count, 4 * count)
            .getBytes(UTF_8);
    byte[] body =
        ByteBuffer.allocate(json.length + 4 * count).put(json).put(values.array()).array();
    try (var server = server("--http-use-ssl=1");
        var client = HttpClient.newBuilder().sslContext(authority.client()).build()) {
      var request =
          HttpRequest.newBuilder(https(server.http()).resolve("/v2/models/identity_fp32/infer"))
              .header("Inference-Header-Content-Length", "" + json.length)
              .POST(BodyPublishers.ofByteArray(body))
              .build();
      for (int i = 0; i < 3; i++) {
        var response = client.send(request, BodyHandlers.ofByteArray());

        assertThat(response.statusCode()).as(new String(response.body(), UTF_8)).isEqualTo(200);
        int head =
            Integer.parseInt(
                response.headers().firstValue("Inference-Header-Content-Length").orElseThrow());
        assertThat(ByteBuffer.wrap(response.body(), head, response.body().length - head))
            .isEqualTo(values.duplicate().flip());
      }
    }
  }

  @Test
  void anOpenConnectionOutlivesAReloadAndANewOneSeesTheNewCertificate() throws Exception {
    try (var server = server("--http-use-ssl=1");
        var open = socket(authority.client(), server.http())) {
      assertThat(liveness(open, "keep-alive")).isEqualTo(200);

      authority.write(authority.issue("second"), directory);
      server.reloadCertificates();

      assertThat(liveness(open, "keep-alive")).isEqualTo(200);
      assertThat(subject(open)).isEqualTo("CN=server");
      try (var next = socket(authority.client(), server.http())) {
        assertThat(liveness(next, "keep-alive")).isEqualTo(200);
        assertThat(subject(next)).isEqualTo("CN=second");
      }
    }
  }

  /** RFC 8446, 6.1: without it a client cannot tell the end from a truncation. */
  @Test
  void theLastBytesOfAConnectionSayThatItEnds() throws Exception {
    try (var server = server("--http-use-ssl=1")) {
      for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
        try (var socket = socket(authority.client(), server.http())) {
          socket.setEnabledProtocols(new String[] {protocol});
          assertThat(liveness(socket, "close")).isEqualTo(200);

          assertThat(socket.getInputStream().read()).isEqualTo(-1);
          assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
        }
      }
    }
  }

  @Test
  void agreesOnHttp11WithAClientThatAsks() throws Exception {
    try (var server = server("--http-use-ssl=1")) {
      try (var socket = socket(authority.client(), server.http())) {
        offer(socket, "h2", "http/1.1");
        assertThat(liveness(socket, "close")).isEqualTo(200);
        assertThat(socket.getApplicationProtocol()).isEqualTo("http/1.1");
      }
      try (var socket = socket(authority.client(), server.http())) {
        offer(socket, "h2");
        assertThatExceptionOfType(IOException.class).isThrownBy(socket::startHandshake);
      }
    }
  }

  private static void offer(SSLSocket socket, String... protocols) {
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
  }

  /** The rest of a ClientHello does not come. */
  @Test
  void aHandshakeThatStopsHalfwayHasTheDeadlineOfARequest() throws Exception {
    try (var server = server("--http-use-ssl=1", "--http-header-timeout-secs=1");
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.http().getPort())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252, 3, 3});

      assertThat(socket.getInputStream().readAllBytes().length).isLessThan(16);
    }
  }

  @Test
  void filesThatCannotBeUsedEndTheServerAtItsStart() throws Exception {
    for (String listener : List.of("http", "grpc")) {
      var err = new StringWriter();
      Path key = directory.resolve("missing.pem");

      int status =
          NereidCommand.run(
              new StringWriter(),
              err,
              "serve",
              "--model-repository=" + directory.resolve("never read"),
              "--%s-use-ssl=true".formatted(listener),
              "--%s-server-cert=%s".formatted(listener, directory.resolve("cert.pem")),
              "--%s-server-key=%s".formatted(listener, key));

      assertThat(status).isEqualTo(1);
      assertThat(err.toString().strip())
          .isEqualTo(
              "nereid: cannot read '%s' (--%s-server-key): no such file".formatted(key, listener));
    }
  }

  /** Scans of ports must not fill the log. */
  @Test
  void closesConnectionsThatSpeakSomethingElseWithoutALine() throws Exception {
    try (var tls = server("--http-use-ssl=1");
        var plain = server();
        var log = new LogCapture("")) {
      byte[] hello = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252, 3, 3, 9, 9, 9, 9};
      for (int port : new int[] {tls.http().getPort(), plain.http().getPort()}) {
        for (byte[] bytes : List.of("GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(UTF_8), hello)) {
          try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            assertThat(socket.getInputStream().readAllBytes()).isNotNull();
          }
        }
      }
      assertRefused(authority.client(), live(plain));
      assertThat(get(authority.client(), live(tls))).isEqualTo(200);

      assertThat(log.records())
          .filteredOn(record -> record.getLevel().intValue() >= Level.WARNING.intValue())
          .extracting(record -> record.getLoggerName() + ": " + record.getMessage())
          .isEmpty();
    }
  }
}
