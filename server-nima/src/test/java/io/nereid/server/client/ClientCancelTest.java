package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.client.DataType;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import io.nereid.server.support.HeldServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of the client that end before the model does. */
@Timeout(60)
class ClientCancelTest {
  private static final InferRequest ENDLESS = request(HeldServer.ENDLESS).build();

  private HeldServer server;

  @BeforeEach
  void start(@TempDir Path models) throws IOException {
    server = new HeldServer(models, "");
    server.endlessGate().openAll();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static InferRequest.Builder request(String model) {
    return InferRequest.to(model).input("IN0", Tensor.of(DataType.UINT8, new byte[] {1}));
  }

  private NereidClient open(String scheme) {
    return NereidClient.connect(
        scheme.equals("grpc") ? "grpc://127.0.0.1:" + server.grpcPort() : server.http().toString());
  }

  /** Whether a call has come to the model before its deadline, which the first may miss. */
  private boolean hasBegun() {
    return !server.endlessGate().executions().isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void theDeadlineEndsTheExecution(String scheme) {
    try (NereidClient client = open(scheme).withDeadline(Duration.ofMillis(500))) {
      do {
        NereidException failure =
            catchThrowableOfType(NereidException.class, () -> client.infer(ENDLESS));

        assertThat(failure.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
      } while (!hasBegun());
      server.endlessGate().awaitEnded(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aRequestsDeadlineIsItsOwn(String scheme) {
    try (NereidClient client = open(scheme)) {
      InferRequest request = request(HeldServer.ENDLESS).deadline(Duration.ofMillis(300)).build();

      do {
        assertThatExceptionOfType(CompletionException.class)
            .isThrownBy(() -> client.inferAsync(request).join())
            .havingCause()
            .isInstanceOfSatisfying(
                NereidException.class,
                failure -> assertThat(failure.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
      } while (!hasBegun());
      server.endlessGate().awaitEnded(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aCancelledFutureCancelsTheExecution(String scheme) {
    try (NereidClient client = open(scheme)) {
      CompletableFuture<InferResponse> call = client.inferAsync(ENDLESS);
      server.endlessGate().awaitBegun(1);

      call.cancel(true);

      server.endlessGate().awaitEnded(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aTimeoutOfTheFutureCancelsTheExecution(String scheme) {
    try (NereidClient client = open(scheme)) {
      do {
        CompletableFuture<InferResponse> call =
            client.inferAsync(ENDLESS).orTimeout(500, TimeUnit.MILLISECONDS);

        assertThatExceptionOfType(CompletionException.class)
            .isThrownBy(call::join)
            .withCauseInstanceOf(TimeoutException.class);
      } while (!hasBegun());
      server.endlessGate().awaitEnded(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void anInterruptCancelsTheExecution(String scheme) {
    try (NereidClient client = open(scheme)) {
      CompletableFuture<NereidException> failure = new CompletableFuture<>();
      Thread caller =
          Thread.startVirtualThread(() ->
              failure.complete(
                  catchThrowableOfType(NereidException.class, () -> client.infer(ENDLESS))));
      server.endlessGate().awaitBegun(1);

      caller.interrupt();

      assertThat(failure.join().code()).isEqualTo(ErrorCode.CANCELLED);
      server.endlessGate().awaitEnded(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aClosedClientEndsItsCalls(String scheme) {
    NereidClient client = open(scheme);
    List<CompletableFuture<InferResponse>> calls =
        List.of(client.inferAsync(request(HeldServer.HELD).build()), client.inferAsync(ENDLESS));
    server.endlessGate().awaitBegun(1);
    server.gate().awaitBegun(1);

    client.close();

    for (CompletableFuture<InferResponse> call : calls) {
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(call::join)
          .havingCause()
          .isInstanceOfSatisfying(
              NereidException.class,
              failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }
    server.endlessGate().awaitEnded(1);
  }

  private static NereidException failure(CompletableFuture<InferResponse> call) {
    CompletionException thrown = catchThrowableOfType(CompletionException.class, call::join);
    return assertThat(thrown.getCause())
        .asInstanceOf(InstanceOfAssertFactories.type(NereidException.class))
        .actual();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aRequestMayHaveRunIfItsConnectionBreaksOnceItWasSent(String scheme) throws IOException {
    int port = scheme.equals("grpc") ? server.grpcPort() : server.http().getPort();
    try (CuttingProxy proxy = new CuttingProxy(port);
        NereidClient client = NereidClient.connect(scheme + "://127.0.0.1:" + proxy.port())) {
      CompletableFuture<InferResponse> call = client.inferAsync(ENDLESS);
      server.endlessGate().awaitBegun(1);

      proxy.cut();

      assertThat(failure(call))
          .returns(ErrorCode.UNAVAILABLE, NereidException::code)
          .returns(true, NereidException::mayHaveRun);
    }
  }

  @Test
  void aRequestCannotHaveRunIfItsConnectionBreaksBefore() throws IOException {
    try (CuttingProxy proxy = new CuttingProxy(server.grpcPort());
        NereidClient client = NereidClient.connect("grpc://127.0.0.1:" + proxy.port())) {
      proxy.refuse(true);

      assertThat(failure(client.inferAsync(ENDLESS)))
          .returns(ErrorCode.UNAVAILABLE, NereidException::code)
          .returns(false, NereidException::mayHaveRun);
    }
  }
}
