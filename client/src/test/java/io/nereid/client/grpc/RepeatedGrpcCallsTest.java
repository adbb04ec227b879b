package io.nereid.client.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RetryPolicy;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which statuses of a server say that it has executed nothing, and have the call sent again. */
@Timeout(60)
class RepeatedGrpcCallsTest {
  private static final InferRequest REQUEST = InferRequest.to("m").build();
  private static final String EXPIRED =
      "the server stops, and the call has not ended within the exit timeout";

  private final AtomicInteger requests = new AtomicInteger();
  private @Nullable Server server;

  /** Has a server answer the first inference with the first status, and so on; the last repeats. */
  private NereidClient answering(String pushback, Status... statuses) throws IOException {
    var infer = GRPCInferenceServiceGrpc.getModelInferMethod();
    Server started =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(
                ServerServiceDefinition.builder(GRPCInferenceServiceGrpc.SERVICE_NAME)
                    .addMethod(infer, (call, _) -> answer(call, pushback, statuses))
                    .build())
            .build()
            .start();
    server = started;
    return NereidClient.builder("grpc://127.0.0.1:" + started.getPort())
        .retries(new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(1)))
        .open();
  }

  private ServerCall.Listener<ModelInferRequest> answer(
      ServerCall<ModelInferRequest, ModelInferResponse> call, String pushback, Status... statuses) {
    call.request(1);
    return new ServerCall.Listener<>() {
      @Override
      public void onHalfClose() {
        Status status = statuses[Math.min(requests.getAndIncrement(), statuses.length - 1)];
        var trailers = new Metadata();
        if (!pushback.isEmpty()) {
          trailers.put(
              Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER),
              pushback);
        }
        call.close(status, trailers);
      }
    };
  }

  @AfterEach
  void stop() {
    Objects.requireNonNull(server).shutdownNow();
  }

  private NereidException failure(NereidClient client, InferRequest request) {
    int before = requests.get();
    CompletionException async =
        catchThrowableOfType(CompletionException.class, client.inferAsync(request)::join);
    int sent = requests.get() - before;
    NereidException sync = catchThrowableOfType(NereidException.class, () -> client.infer(request));
    NereidException failure = (NereidException) Objects.requireNonNull(async.getCause());
    assertThat(sync)
        .hasMessage(failure.getMessage())
        .returns(failure.mayHaveRun(), NereidException::mayHaveRun);
    assertThat(requests.get() - before).isEqualTo(2 * sent);
    requests.set(sent);
    return failure;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Exceeds maximum queue size",
        "[request id: 7] Exceeds maximum queue size",
        "Request timeout expired",
        "GRPC server is shutting down and has stopped accepting new requests.",
        "Server is stopping, scheduler for model has stopped accepting new inference requests",
        "Request for unknown model: 'm' has no available versions",
        "Request for unknown model: 'm' version 1 is not at ready state"
      })
  void aSentenceOfARefusalHasTheCallSentAgain(String sentence) throws IOException {
    try (NereidClient client = answering("", Status.UNAVAILABLE.withDescription(sentence))) {
      assertThat(failure(client, REQUEST).mayHaveRun()).isFalse();
      assertThat(requests).hasValue(3);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        EXPIRED,
        "in ensemble 'm', Exceeds maximum queue size",
        "Request for unknown model: 'another' has no available versions",
        "Request for unknown model: '",
        "no healthy upstream"
      })
  void aCallThatMayHaveRunIsSentOnce(String sentence) throws IOException {
    try (NereidClient client = answering("", Status.UNAVAILABLE.withDescription(sentence))) {
      NereidException failure = failure(client, REQUEST);

      assertThat(failure.sentence()).isEqualTo(sentence);
      assertThat(failure.mayHaveRun()).isTrue();
      assertThat(requests).hasValue(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, 0, 3",
    "UNAVAILABLE, 1, 3",
    "RESOURCE_EXHAUSTED, 1, 3",
    "UNAVAILABLE, -1, 1",
    "RESOURCE_EXHAUSTED, -1, 1",
    "UNAVAILABLE, x, 1",
    "RESOURCE_EXHAUSTED, '', 1",
    "INTERNAL, 1, 1"
  })
  void aTimeToTryAgainIsARefusal(Status.Code code, String millis, int attempts) throws IOException {
    try (NereidClient client = answering(millis, code.toStatus().withDescription("no"))) {
      assertThat(failure(client, REQUEST).mayHaveRun()).isEqualTo(attempts == 1);
      assertThat(requests).hasValue(attempts);
    }
  }

  @Test
  void whatAnEarlierAttemptMayHaveRunIsToldOfTheLast() throws IOException {
    InferRequest twice = InferRequest.to("m").mayRunTwice().build();
    Status expired = Status.UNAVAILABLE.withDescription(EXPIRED);
    Status full = Status.UNAVAILABLE.withDescription("Exceeds maximum queue size");
    try (NereidClient client = answering("", expired, full, full, expired, full)) {
      assertThat(failure(client, twice))
          .returns("Exceeds maximum queue size", NereidException::sentence)
          .returns(true, NereidException::mayHaveRun);
      assertThat(requests).hasValue(3);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "NOT_FOUND, Request for unknown model: 'm' is not found, false",
    "NOT_FOUND, Request for unknown model: 'another' is not found, true",
    "INVALID_ARGUMENT, wrong, true",
    "UNIMPLEMENTED, not here, true",
    "ALREADY_EXISTS, there, true",
    "INTERNAL, broken, true",
    "UNAUTHENTICATED, who, false",
    "PERMISSION_DENIED, no, false"
  })
  void aCodeAloneDoesNotSayThatNothingRan(Status.Code code, String sentence, boolean mayHaveRun)
      throws IOException {
    try (NereidClient client = answering("", code.toStatus().withDescription(sentence))) {
      NereidException failure = failure(client, REQUEST);

      assertThat(failure.code()).isEqualTo(StatusFailures.code(code));
      assertThat(failure.code()).isNotEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.mayHaveRun()).isEqualTo(mayHaveRun);
      assertThat(requests).hasValue(1);
    }
  }
}
