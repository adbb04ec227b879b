package io.nereid.client.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import io.nereid.client.WireRequest;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an interceptor that signs sees of a message is what the server gets. */
@Timeout(60)
class SignedGrpcCallsTest {
  private static final Metadata.Key<String> HASH =
      Metadata.Key.of("x-hash", Metadata.ASCII_STRING_MARSHALLER);
  private static final InferRequest REQUEST =
      InferRequest.to("m").input("A", Tensor.of(new int[] {1, 2})).parameter("p", 1).build();

  private final AtomicInteger signed = new AtomicInteger();
  private @Nullable Server server;

  @BeforeEach
  void start() throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(
                ServerServiceDefinition.builder(GRPCInferenceServiceGrpc.SERVICE_NAME)
                    .addMethod(GRPCInferenceServiceGrpc.getModelInferMethod(), this::answer)
                    .addMethod(GRPCInferenceServiceGrpc.getModelStreamInferMethod(), this::answer)
                    .build())
            .build()
            .start();
  }

  @AfterEach
  void stop() {
    Objects.requireNonNull(server).shutdownNow();
  }

  private <A> ServerCall.Listener<ModelInferRequest> answer(
      ServerCall<ModelInferRequest, A> call, Metadata headers) {
    call.request(1);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(ModelInferRequest message) {
        MethodDescriptor<ModelInferRequest, A> method = call.getMethodDescriptor();
        if (hash(method.getFullMethodName(), message.toByteArray()).equals(headers.get(HASH))) {
          signed.incrementAndGet();
        }
      }

      @Override
      public void onHalfClose() {
        call.close(Status.ABORTED, new Metadata());
      }
    };
  }

  private static String hash(String method, byte[] message) {
    return "POST /" + method + " " + Arrays.hashCode(message);
  }

  private static Map<String, String> signature(WireRequest request) {
    ByteBuffer body = request.body().get(0);
    byte[] bytes = new byte[body.remaining()];
    body.get(bytes);
    return Map.of("X-Hash", hash(request.path().substring(1), bytes));
  }

  @Test
  void theServerGetsWhatWasSigned() {
    AtomicInteger ends = new AtomicInteger();
    try (NereidClient client =
        NereidClient.builder("grpc://127.0.0.1:" + Objects.requireNonNull(server).getPort())
            .gzip()
            .interceptor(call -> {
              call.sign(SignedGrpcCallsTest::signature);
              call.onEnd(failure -> ends.incrementAndGet());
            })
            .open()) {
      assertThat(catchThrowable(() -> client.infer(REQUEST))).isNotNull();
      assertThat(catchThrowable(() -> client.inferAsync(REQUEST).join())).isNotNull();
      assertThat(catchThrowable(() -> client.stream(REQUEST).hasNext())).isNotNull();
    }
    assertThat(signed).hasValue(3);
    assertThat(ends).hasValue(3);
  }

  @Test
  void aSignatureThatCannotBeMadeFailsTheStream() {
    try (NereidClient client =
        NereidClient.builder("grpc://127.0.0.1:" + Objects.requireNonNull(server).getPort())
            .interceptor(call ->
                call.sign(request -> {
                  throw new IllegalStateException("no key");
                }))
            .open()) {
      assertThat(catchThrowable(() -> client.stream(REQUEST).hasNext()))
          .isInstanceOf(NereidException.class)
          .hasMessageContaining("no key");
    }
  }
}
