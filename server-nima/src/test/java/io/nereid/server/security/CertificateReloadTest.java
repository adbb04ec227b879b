package io.nereid.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.server.LocalServer;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests on old and new connections of both protocols, while certificates are replaced. */
@Timeout(120)
class CertificateReloadTest {
  private static final int RELOADS = 10;

  @TempDir private Path directory;
  @TempDir private Path repository;

  /** For each kind of request, a permit for each that has succeeded. */
  private final List<Semaphore> succeeded = new ArrayList<>();

  private final AtomicBoolean ended = new AtomicBoolean();

  private Future<?> repeat(ExecutorService threads, Callable<Boolean> request) {
    var permits = new Semaphore(0);
    succeeded.add(permits);
    return threads.submit(() -> {
      while (!ended.get()) {
        assertThat(request.call()).isTrue();
        permits.release();
      }
      return permits;
    });
  }

  private static SSLSocket connect(LocalServer server, SSLContext context) throws IOException {
    return (SSLSocket)
        context.getSocketFactory().createSocket("127.0.0.1", server.http().getPort());
  }

  private static boolean isLive(SSLSocket socket) throws IOException {
    socket
        .getOutputStream()
        .write("GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(UTF_8));
    String head = "";
    while (!head.endsWith("\r\n\r\n")) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        throw new IOException("the connection has ended: " + head);
      }
      head += (char) next;
    }
    return head.startsWith("HTTP/1.1 200");
  }

  private static ManagedChannel channel(LocalServer server, String roots) throws IOException {
    return Grpc.newChannelBuilderForAddress(
            "127.0.0.1",
            server.grpcPort(),
            TlsChannelCredentials.newBuilder()
                .trustManager(new ByteArrayInputStream(roots.getBytes(UTF_8)))
                .build())
        .build();
  }

  private static boolean isLive(ManagedChannel channel) {
    return GRPCInferenceServiceGrpc.newBlockingStub(channel)
        .serverLive(ServerLiveRequest.getDefaultInstance())
        .getLive();
  }

  /**
   * Waits until a request of each kind that began after this call has succeeded, or one has failed:
   * the first to succeed may have begun before.
   */
  private void awaitRequests(List<Future<?>> requests)
      throws ExecutionException, InterruptedException {
    succeeded.forEach(Semaphore::drainPermits);
    for (int i = 0; i < requests.size(); i++) {
      while (!succeeded.get(i).tryAcquire(2, 1, TimeUnit.SECONDS)) {
        if (requests.get(i).isDone()) {
          requests.get(i).get();
        }
      }
    }
  }

  @Test
  void noRequestFailsWhileCertificatesAreReplaced() throws Exception {
    var authority = new TestAuthority("authority");
    authority.write(authority.issue("server 0"), directory);
    List<String> options = new ArrayList<>();
    for (String listener : List.of("http", "grpc")) {
      options.add("--" + listener + "-use-ssl=true");
      options.add("--" + listener + "-server-cert=" + directory.resolve("cert.pem"));
      options.add("--" + listener + "-server-key=" + directory.resolve("key.pem"));
    }
    Set<String> seen = ConcurrentHashMap.newKeySet();
    try (var server =
            new LocalServer(
                LocalServer.options(repository, options.toArray(String[]::new)),
                new CheckedBufferPool());
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        var open = connect(server, authority.client())) {
      ManagedChannel openChannel = channel(server, authority.pem());
      List<Future<?>> requests =
          List.of(
              repeat(threads, () -> isLive(open)),
              repeat(threads, () -> isLive(openChannel)),
              repeat(
                  threads,
                  () -> {
                    try (var socket = connect(server, authority.client())) {
                      boolean live = isLive(socket);
                      seen.add(subject(socket));
                      return live;
                    }
                  }),
              repeat(
                  threads,
                  () -> {
                    ManagedChannel channel = channel(server, authority.pem());
                    boolean live = isLive(channel);
                    channel.shutdownNow();
                    return live;
                  }));
      for (int i = 1; i <= RELOADS; i++) {
        awaitRequests(requests);
        X509Bundle next = authority.issue("server " + i);
        Files.writeString(directory.resolve("key.pem"), next.getPrivateKeyPEM());
        server.reloadCertificates(); // while the files do not fit each other
        awaitRequests(requests);
        Files.writeString(directory.resolve("cert.pem"), next.getCertificatePathPEM());
        server.reloadCertificates();
      }
      awaitRequests(requests);
      ended.set(true);
      for (Future<?> each : requests) {
        each.get();
      }
      openChannel.shutdownNow();
    }
    assertThat(seen).hasSize(RELOADS + 1);
  }

  private static String subject(SSLSocket socket) throws IOException {
    return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
        .getSubjectX500Principal()
        .getName();
  }
}
