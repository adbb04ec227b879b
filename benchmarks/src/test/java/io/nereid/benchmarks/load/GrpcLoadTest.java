package io.nereid.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.arrival.ArrivalGenerator;
import io.nereid.tools.load.arrival.ArrivalProcess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class GrpcLoadTest {
  /** Long enough for the first connection of the process on a machine that is busy. */
  private static final Duration ON_A_BUSY_MACHINE = Duration.ofSeconds(2);

  private static final URI NO_HTTP = URI.create("http://127.0.0.1:1");

  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger concurrent = new AtomicInteger();
  private final AtomicInteger maxConcurrent = new AtomicInteger();
  private final Set<Integer> sizes = ConcurrentHashMap.newKeySet();
  private Server server = serve((_, observer) -> respond(observer, 192));
  private int port = server.getPort();

  @AfterEach
  void stop() throws InterruptedException {
    server.shutdownNow().awaitTermination();
  }

  @Test
  void countsEveryResponseOfAClosedLoop() throws Exception {
    var report = run("grpc simple", new ArrivalProcess.ClosedLoop(8), ON_A_BUSY_MACHINE);

    assertThat(report.requests().errors()).as(report.requests().firstError()).isZero();
    assertThat(report.count()).isPositive().isLessThanOrEqualTo(requests.get());
    assertThat(report.percentileMicros(50)).isPositive();
    assertThat(report.requests().responseBytes()).isEqualTo(192);
    assertThat(sizes).containsExactly(182);
  }

  @Test
  void sendsAndReceivesMessagesLargerThanAFrame() throws Exception {
    restart((_, observer) -> respond(observer, 602_156));

    var report = run("grpc identity 588 KiB", new ArrivalProcess.ClosedLoop(2));

    assertThat(report.requests().errors()).as(report.requests().firstError()).isZero();
    assertThat(report.count()).isPositive();
    assertThat(report.requests().responseBytes()).isEqualTo(602_156);
    assertThat(sizes).containsExactly(602_152);
  }

  @Test
  void keepsTheGivenNumberOfCallsInFlight() throws Exception {
    var five = new CompletableFuture<Boolean>().completeOnTimeout(false, 30, TimeUnit.SECONDS);
    restart((_, observer) -> {
      int now = concurrent.incrementAndGet();
      maxConcurrent.accumulateAndGet(now, Math::max);
      if (now == 5) {
        five.complete(true);
      }
      five.join();
      ArrivalGenerator.Clock.SYSTEM.sleepUntil(
          System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(10));
      concurrent.decrementAndGet();
      respond(observer, 10);
    });

    var report = run("grpc simple", new ArrivalProcess.ClosedLoop(5), ON_A_BUSY_MACHINE);

    assertThat(maxConcurrent).hasValue(5);
    assertThat(report.minMicros()).isGreaterThan(9_000);
  }

  @Test
  void countsAStatusThatIsNotOkAsAnError() throws Exception {
    restart((n, observer) -> {
      if (n % 10 == 0) {
        observer.onError(Status.INTERNAL.withDescription("queue is full").asRuntimeException());
      } else {
        respond(observer, 10);
      }
    });

    var report = run("grpc simple", new ArrivalProcess.ClosedLoop(2));

    assertThat(report.requests().errors()).isPositive();
    assertThat(report.requests().warmupErrors() + report.requests().errors())
        .isEqualTo(requests.get() / 10);
    assertThat(report.requests().firstError()).isEqualTo("gRPC status INTERNAL: queue is full");
  }

  @Test
  void latencyInAnOpenLoopIncludesTheWaitDuringAStall() throws Exception {
    var first = new AtomicLong();
    restart((n, observer) -> {
      long now = System.nanoTime();
      if (n == 1) {
        first.set(now);
      }
      long stallAt = first.get() + TimeUnit.MILLISECONDS.toNanos(350);
      if (now - stallAt > 0) {
        ArrivalGenerator.Clock.SYSTEM.sleepUntil(stallAt + TimeUnit.MILLISECONDS.toNanos(250));
      }
      respond(observer, 10);
    });

    var report = run("grpc simple", new ArrivalProcess.OpenLoop(4, 200, 1));

    assertThat(report.requests().errors()).as(report.requests().firstError()).isZero();
    assertThat(report.percentileMicros(99)).isGreaterThan(200_000);
    assertThat(report.percentileMicros(80)).isGreaterThan(50_000);
  }

  @Test
  void countsErrorsIfThereIsNoServer() throws Exception {
    stop();

    var report = run("grpc simple", new ArrivalProcess.ClosedLoop(1));

    assertThat(report.count()).isZero();
    assertThat(report.requests().errors()).isPositive();
    assertThat(report.requests().firstError()).startsWith("gRPC status UNAVAILABLE");
  }

  @Test
  void failsIfThereIsNoServerForSeconds() throws Exception {
    stop();

    assertThatThrownBy(
            () -> run("grpc simple", new ArrivalProcess.OpenLoop(4, 1000, 1), Duration.ofHours(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("the load failed: gRPC status UNAVAILABLE: ");
  }

  private LoadReport run(String cell, ArrivalProcess process) throws Exception {
    return run(cell, process, Duration.ofMillis(500));
  }

  private LoadReport run(String cell, ArrivalProcess process, Duration measured) throws Exception {
    var url = URI.create("http://127.0.0.1:" + port);
    return new LoadRun(
            NO_HTTP,
            url,
            Optional.empty(),
            0,
            Duration.ofMillis(200),
            measured,
            LoadWindow.NO_STALLS)
        .run(Preset.named(cell).with(process.inFlight()), process);
  }

  private interface Responder {
    void respond(int n, StreamObserver<byte[]> observer);
  }

  private void respond(StreamObserver<byte[]> observer, int size) {
    observer.onNext(new byte[size]);
    observer.onCompleted();
  }

  private void restart(Responder responder) throws InterruptedException {
    stop();
    server = serve(responder);
    port = server.getPort();
  }

  private Server serve(Responder responder) {
    var method =
        MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("inference.GRPCInferenceService/ModelInfer")
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Bytes())
            .build();
    var service =
        ServerServiceDefinition.builder("inference.GRPCInferenceService")
            .addMethod(
                method,
                ServerCalls.asyncUnaryCall((byte[] request, StreamObserver<byte[]> observer) -> {
                  sizes.add(request.length);
                  responder.respond(requests.incrementAndGet(), observer);
                }))
            .build();
    try {
      return NettyServerBuilder.forAddress(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
          .addService(service)
          .build()
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream message) {
      try {
        return message.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
