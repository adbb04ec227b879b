package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.client.DataType;
import io.nereid.client.ErrorCode;
import io.nereid.client.GenerateRequest;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RequestedOutput;
import io.nereid.client.ResponseStream;
import io.nereid.client.RetryPolicy;
import io.nereid.client.SharedRegion;
import io.nereid.client.Tensor;
import io.nereid.client.engine.EngineTransport;
import io.nereid.server.NereidServer;
import io.nereid.tck.TckModels;
import io.nereid.tck.gate.Gate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A client of an engine beside one over gRPC of a server with the same engine. */
@Timeout(120)
class EngineTransportTest {
  private static final String HELD = "held";
  private static final int[] SIXTEEN = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

  @TempDir static Path repository;

  private static NereidServer server;
  private static NereidClient far;
  private NereidClient near;

  @BeforeAll
  static void start() throws IOException {
    TckModels.extractTo(repository);
    Files.createDirectories(repository.resolve(HELD + "/1"));
    Files.writeString(
        repository.resolve(HELD + "/config.pbtxt"),
        """
        backend: "gate"
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
        instance_group { count: 1 kind: KIND_CPU }
        """);
    server =
        NereidServer.builder()
            .repository(repository)
            .withoutHttp()
            .withoutMetrics()
            .grpc(0)
            .option("grpc-address", "127.0.0.1")
            .option("server-warmup", "0")
            .option("model-control-mode", "explicit")
            .option("load-model", "simple")
            .option("load-model", "repeat")
            .option("load-model", "identity_bytes")
            .option("load-model", "sequence_echo")
            .option("load-model", HELD)
            .start();
    far =
        NereidClient.builder("grpc://127.0.0.1:" + server.grpcPort())
            .retries(RetryPolicy.NONE)
            .open();
  }

  @AfterAll
  static void stop() {
    far.close();
    Gate.of(HELD).tearDown();
    server.close();
    Gate.forget(HELD);
  }

  @BeforeEach
  void connect() {
    near =
        NereidClient.builder("engine:near")
            .transport(EngineTransport.over(server.engine()))
            .retries(RetryPolicy.NONE)
            .open();
  }

  @AfterEach
  void close() {
    near.close();
  }

  private static InferRequest.Builder simple() {
    return InferRequest.to("simple")
        .input("INPUT0", Tensor.of(SIXTEEN, 1, 16))
        .input("INPUT1", Tensor.of(SIXTEEN, 1, 16));
  }

  private static InferRequest held() {
    return InferRequest.to(HELD)
        .input("IN0", Tensor.of(DataType.UINT8, new byte[] {1, 2}, 2))
        .build();
  }

  @Test
  void aResponseIsThatOfTheServer() {
    InferRequest request = simple().id("seven").outputs("OUTPUT1", "OUTPUT0").build();

    InferResponse here = near.infer(request);
    InferResponse there = far.infer(request);

    assertThat(here.output("OUTPUT0").ints()).isEqualTo(there.output("OUTPUT0").ints());
    assertThat(here.output("OUTPUT0").shape()).containsExactly(1, 16);
    assertThat(here.outputs().keySet()).isEqualTo(there.outputs().keySet());
    assertThat(here.id()).isEqualTo("seven");
    assertThat(here.version()).isEqualTo(there.version());
    assertThat(near.inferAsync(request).join().output("OUTPUT1").ints()).containsOnly(0);
    String[] words = {"good", "", "\u00fc"};
    assertThat(
            near.infer(InferRequest.to("identity_bytes").input("INPUT0", Tensor.of(words)).build())
                .outputs()
                .values()
                .iterator()
                .next()
                .strings())
        .containsExactly(words);
    try (NereidClient plain = EngineTransport.connect(server.engine())) {
      assertThat(plain.infer(request).model()).isEqualTo("simple");
      assertThat(plain.address()).isEqualTo("engine:in-process");
    }
  }

  private static Stream<InferRequest> wrongRequests() {
    Tensor sixteen = Tensor.of(SIXTEEN, 1, 16);
    return Stream.of(
        InferRequest.to("absent").build(),
        simple().version(9).build(),
        InferRequest.to("simple").input("INPUT0", sixteen).build(),
        simple().input("INPUT2", sixteen).build(),
        simple().outputs("OUTPUT7").build(),
        InferRequest.to("simple")
            .input("INPUT0", sixteen)
            .input("INPUT1", Tensor.of(SIXTEEN, 16))
            .build(),
        InferRequest.to("simple")
            .input("INPUT0", sixteen)
            .input("INPUT1", Tensor.of(new long[16], 1, 16))
            .build(),
        InferRequest.to("sequence_echo").input("INPUT0", Tensor.of(new int[] {1}, 1, 1)).build());
  }

  @ParameterizedTest
  @MethodSource("wrongRequests")
  void aFailureIsThatOfTheServer(InferRequest request) {
    NereidException there = catchThrowableOfType(NereidException.class, () -> far.infer(request));
    for (Consumer<InferRequest> call :
        Stream.<Consumer<InferRequest>>of(
                near::infer, each -> EngineTransportTest.join(near.inferAsync(each)))
            .toList()) {
      NereidException here =
          catchThrowableOfType(NereidException.class, () -> call.accept(request));
      assertThat(here.sentence()).isEqualTo(there.sentence());
      assertThat(here.code()).isEqualTo(there.code());
      assertThat(here.mayHaveRun()).isEqualTo(there.mayHaveRun());
      assertThat(here.asked()).isEqualTo(request + " at engine:near");
    }
  }

  private static InferResponse join(CompletableFuture<InferResponse> future) {
    try {
      return future.join();
    } catch (CompletionException failed) {
      throw (NereidException) failed.getCause();
    }
  }

  @Test
  void whatTheServerSaysOfModelsTheEngineSays() {
    assertThat(near.infer(simple().build())).isNotNull();

    assertThat(near.models().metadata("simple")).isEqualTo(far.models().metadata("simple"));
    assertThat(near.models().index()).containsExactlyInAnyOrderElementsOf(far.models().index());
    assertThat(near.models().statistics("simple")).isEqualTo(far.models().statistics("simple"));
    assertThat(near.models().isReady("simple")).isTrue();
    assertThat(near.models().isReady("two_outputs")).isFalse();
    assertThat(near.server().isReady()).isTrue();
    near.models().load("two_outputs");
    assertThat(far.models().isReady("two_outputs")).isTrue();
    near.models().unload("two_outputs");
    assertThat(near.models().isReady("two_outputs")).isFalse();
    assertThatExceptionOfType(NereidException.class)
        .isThrownBy(() -> near.models().metadata("absent"))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }

  @Test
  void theDeadlineCancelsTheRequest() {
    Gate gate = Gate.of(HELD);
    NereidClient hurried = near.withDeadline(Duration.ofMillis(50));

    for (ThrowingCallable call :
        new ThrowingCallable[] {
          () -> hurried.infer(held()), () -> join(hurried.inferAsync(held()))
        }) {
      NereidException late = catchThrowableOfType(NereidException.class, call);
      assertThat(late.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
      assertThat(late.sentence()).isEqualTo("the deadline of 50 ms has passed");
      gate.open(gate.running().size()); // none if the deadline has passed in the queue
      gate.awaitEnded(gate.executions().size());
    }
  }

  @Test
  void anInterruptAndTheCallersCancelEndTheCall() throws InterruptedException {
    Gate gate = Gate.of(HELD);
    int before = gate.executions().size();
    var failures = new LinkedBlockingQueue<Throwable>();
    Thread waiting =
        Thread.ofPlatform()
            .start(
                () -> failures.add(catchThrowableOfType(NereidException.class, this::waitForHeld)));
    gate.awaitBegun(before + 1);
    waiting.interrupt();

    var interrupted = (NereidException) failures.take();
    assertThat(interrupted.code()).isEqualTo(ErrorCode.CANCELLED);
    assertThat(interrupted.sentence()).isEqualTo("the waiting thread was interrupted");
    gate.open(1);
    gate.awaitEnded(before + 1);

    CompletableFuture<InferResponse> running = near.inferAsync(held());
    gate.awaitBegun(before + 2);
    CompletableFuture<InferResponse> queued = near.inferAsync(held());
    assertThat(queued.cancel(true)).isTrue();
    gate.open(1);
    assertThat(running.join().model()).isEqualTo(HELD);
    gate.awaitEnded(before + 2);
    assertThat(gate.executions()).hasSize(before + 2);
  }

  private void waitForHeld() {
    var _ = near.infer(held());
  }

  private static InferRequest repeat(int... elements) {
    return InferRequest.to("repeat").input("IN", Tensor.of(elements)).build();
  }

  @Test
  void aStreamGivesTheResponsesAsTheyCome() {
    try (ResponseStream<InferResponse> responses = near.stream(repeat(7, 8, 9))) {
      for (int expected : new int[] {7, 8, 9}) {
        assertThat(responses.hasNext()).isTrue();
        assertThat(responses.next().output("OUT").ints()).containsExactly(expected);
      }
      assertThat(responses.hasNext()).isFalse();
    }
    try (ResponseStream<InferResponse> responses = near.stream(repeat(7, -1))) {
      assertThat(responses.next().output("OUT").ints()).containsExactly(7);
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(responses::hasNext)
          .satisfies(failure -> assertThat(failure.sentence()).endsWith("IN[1] is -1"));
    }
    for (NereidClient client : new NereidClient[] {near, far}) {
      NereidException single =
          catchThrowableOfType(NereidException.class, () -> client.infer(repeat(7)));
      assertThat(single.code()).isEqualTo(ErrorCode.UNIMPLEMENTED);
    }
  }

  @Test
  void aStreamThatIsClosedEarlyCancelsTheRequest() {
    InferRequest endless =
        InferRequest.to("repeat")
            .input("IN", Tensor.of(new int[] {1, 2}))
            .parameter("hold", true)
            .build();

    try (ResponseStream<InferResponse> responses = near.stream(endless)) {
      assertThat(responses.next().output("OUT").ints()).containsExactly(1);
    }

    assertThat(near.infer(simple().build())).isNotNull();
    try (ResponseStream<InferResponse> next = near.stream(repeat(5))) { // the instance is free
      assertThat(next.next().output("OUT").ints()).containsExactly(5);
    }
  }

  @Test
  void aSubscriberGetsWhatItHasRequested() throws InterruptedException {
    var events = new LinkedBlockingQueue<String>();
    var subscriptions = new LinkedBlockingQueue<Flow.Subscription>();
    var subscriber =
        new Flow.Subscriber<InferResponse>() {
          @Override
          public void onSubscribe(Flow.Subscription given) {
            subscriptions.add(given);
          }

          @Override
          public void onNext(InferResponse response) {
            events.add("next " + response.output("OUT").ints()[0]);
          }

          @Override
          public void onError(Throwable failure) {
            events.add(failure.toString());
          }

          @Override
          public void onComplete() {
            events.add("complete");
          }
        };

    for (int last : new int[] {1, 2}) { // the end needs no request of its own
      near.publish(repeat(4, 5)).subscribe(subscriber);
      Flow.Subscription subscription = subscriptions.take();
      subscription.request(1);
      assertThat(events.take()).isEqualTo("next 4");
      assertThat(events).isEmpty();
      subscription.request(last);
      assertThat(events.take()).isEqualTo("next 5");
      assertThat(events.take()).isEqualTo("complete");
    }
  }

  private ErrorCode failure(Consumer<Flow.Subscription> onSubscribe) throws InterruptedException {
    var failures = new LinkedBlockingQueue<NereidException>();
    near.publish(repeat(4, 5))
        .subscribe(
            new Flow.Subscriber<>() {
              @Override
              public void onSubscribe(Flow.Subscription given) {
                onSubscribe.accept(given);
              }

              @Override
              public void onNext(InferResponse response) {
                throw new IllegalStateException("a subscriber's bug");
              }

              @Override
              public void onError(Throwable failure) {
                failures.add((NereidException) failure);
              }

              @Override
              public void onComplete() {
                throw new AssertionError();
              }
            });
    return failures.take().code();
  }

  @Test
  void aSubscriberThatErrsIsToldAndTheRequestIsCancelled() throws InterruptedException {
    assertThat(failure(subscription -> subscription.request(0)))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure(subscription -> subscription.request(1))).isEqualTo(ErrorCode.INTERNAL);
  }

  private static Stream<Consumer<NereidClient>> refused() {
    var region = new SharedRegion("r", 0, 64);
    return Stream.of(
        client -> {
          var _ = client.infer(simple().output(new RequestedOutput("OUTPUT0", 0, region)).build());
        },
        client -> {
          var _ = client.infer(simple().classify("OUTPUT0", 2).build());
        },
        client -> {
          var _ = client.generate(GenerateRequest.to("repeat").with("IN", 7).build());
        },
        client -> client.regions().registerSystem("r", "/r", 0, 64),
        client -> {
          var _ = client.models().config("simple");
        },
        client -> {
          var _ = client.server().logSettings();
        },
        client -> {
          var _ = client.server().traceSettings();
        });
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatAnEngineDoesNotHaveIsRefusedWithASentence(Consumer<NereidClient> call) {
    NereidException failure = catchThrowableOfType(NereidException.class, () -> call.accept(near));

    assertThat(failure.code()).isEqualTo(ErrorCode.UNIMPLEMENTED);
    assertThat(failure.sentence()).contains("an engine in this process ");
    assertThat(failure.mayHaveRun()).isFalse();
  }

  @Test
  void aSequenceKeepsItsState() {
    var sequence = near.sequence("sequence_echo");
    InferRequest request =
        sequence.request().input("INPUT0", Tensor.of(new int[] {1}, 1, 1)).build();

    assertThat(sequence.infer(request).output("OUTPUT0").ints()).hasSize(1);
    assertThat(sequence.finish(request).output("OUTPUT0").ints()).hasSize(1);
  }

  @Test
  void aResponseThatIsTooLargeFails() {
    try (NereidClient small =
        NereidClient.builder("engine:small")
            .transport(EngineTransport.over(server.engine()))
            .retries(RetryPolicy.NONE)
            .maxResponseBytes(127)
            .open()) {
      assertThat(small.infer(simple().outputs("OUTPUT0").build())).isNotNull();
      NereidException failure =
          catchThrowableOfType(NereidException.class, () -> small.infer(simple().build()));
      assertThat(failure.code()).isEqualTo(ErrorCode.BAD_RESPONSE);
      assertThat(failure.sentence())
          .isEqualTo("the response is longer than the limit of 127 bytes (maxResponseBytes)");
    }
  }

  @Test
  void theCloseEndsCallsAndLeavesTheEngineOpen() {
    Gate gate = Gate.of(HELD);
    int before = gate.executions().size();
    CompletableFuture<InferResponse> running = near.inferAsync(held());
    gate.awaitBegun(before + 1);

    near.close();

    NereidException ended = catchThrowableOfType(NereidException.class, () -> join(running));
    assertThat(ended.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(ended.sentence()).isEqualTo("the client is closed");
    NereidException refused =
        catchThrowableOfType(NereidException.class, () -> near.infer(simple().build()));
    assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(refused.mayHaveRun()).isFalse();
    gate.open(1);
    gate.awaitEnded(before + 1);
    assertThat(server.engine().isReady()).isTrue();
  }
}
