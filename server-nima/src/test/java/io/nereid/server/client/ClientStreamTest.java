package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.client.ErrorCode;
import io.nereid.client.GenerateRequest;
import io.nereid.client.Generated;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.ResponseStream;
import io.nereid.client.Tensor;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams of decoupled models by the client. */
@Timeout(180)
class ClientStreamTest {
  private static final int[] MANY = IntStream.range(0, 1000).toArray();
  private static LocalServer server;
  private static NereidClient client;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    TckModels.extractTo(models);
    server = new LocalServer(models);
    client = NereidClient.connect("grpc://127.0.0.1:" + server.grpcPort());
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  private static InferRequest repeat(int... values) {
    return InferRequest.to("repeat").input("IN", Tensor.of(values)).build();
  }

  private static int value(InferResponse response) {
    return response.output("OUT").ints()[0];
  }

  @Test
  void responsesComeInOrder() {
    List<Integer> values = new ArrayList<>();
    try (ResponseStream<InferResponse> responses = client.stream(repeat(MANY))) {
      while (responses.hasNext()) {
        values.add(value(responses.next()));
      }
      assertThat(responses.hasNext()).isFalse();
    }

    assertThat(values).containsExactlyElementsOf(IntStream.of(MANY).boxed().toList());
  }

  @Test
  void aModelOfOneResponseIsAStreamOfOne() {
    InferRequest request =
        InferRequest.to("identity_int32").input("INPUT0", Tensor.of(new int[] {7})).build();
    try (ResponseStream<InferResponse> responses = client.stream(request)) {
      assertThat(responses.next().output("OUTPUT0").ints()).containsExactly(7);
      assertThat(responses.hasNext()).isFalse();
    }
  }

  @Test
  void aFailureEndsTheStream() {
    try (ResponseStream<InferResponse> responses =
        client.stream(InferRequest.to("repeat").build())) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(responses::hasNext)
          .withMessageContaining("expected 1 inputs but got 0 inputs for model 'repeat'");
    }
  }

  @Test
  void aStreamThatIsClosedHasNoMore() {
    ResponseStream<InferResponse> responses = client.stream(repeat(MANY));
    responses.next();

    responses.close();

    assertThat(responses.hasNext()).isFalse();
  }

  @Test
  void restHasNone() {
    try (NereidClient rest = NereidClient.connect(server.http().toString())) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> rest.stream(repeat(1)).hasNext())
          .returns(ErrorCode.UNIMPLEMENTED, NereidException::code);
    }
  }

  private static GenerateRequest generate(int... values) {
    return GenerateRequest.to("repeat").with("IN", IntStream.of(values).boxed().toList()).build();
  }

  @Test
  void eventsComeInOrder() {
    List<Object> values = new ArrayList<>();
    try (NereidClient rest = NereidClient.connect(server.http().toString());
        ResponseStream<Generated> responses = rest.generateStream(generate(MANY))) {
      while (responses.hasNext()) {
        values.add(responses.next().get("OUT"));
      }
    }

    assertThat(values)
        .isEqualTo(IntStream.of(MANY).mapToObj(value -> (Object) (long) value).toList());
  }

  @Test
  void oneResponseIsGenerated() {
    try (NereidClient rest = NereidClient.connect(server.http().toString())) {
      Generated generated =
          rest.generate(
              GenerateRequest.to("identity_bytes").with("INPUT0", List.of("a", "ü")).build());

      assertThat(generated.get("OUTPUT0")).isEqualTo(List.of("a", "ü"));
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> rest.generate(GenerateRequest.to("no_such").build()))
          .returns(ErrorCode.NOT_FOUND, NereidException::code);
    }
  }

  @Test
  void grpcGeneratesNothing() {
    assertThatExceptionOfType(NereidException.class)
        .isThrownBy(() -> client.generate(generate(1)))
        .returns(ErrorCode.UNIMPLEMENTED, NereidException::code);
  }

  /** Takes some, then cancels. */
  private static final class Some implements Flow.Subscriber<InferResponse> {
    private final int wanted;
    private final long first;
    private final List<Integer> values = new ArrayList<>();
    private final CompletableFuture<List<Integer>> done = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    Some(int wanted) {
      this(wanted, 1);
    }

    /**
     * @param first what it requests before there is a response
     */
    Some(int wanted, long first) {
      this.wanted = wanted;
      this.first = first;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(first);
    }

    @Override
    public void onNext(InferResponse response) {
      values.add(value(response));
      var given = Objects.requireNonNull(subscription);
      if (values.size() == wanted) {
        given.cancel();
        done.complete(values);
      } else {
        given.request(1);
      }
    }

    @Override
    public void onError(Throwable failure) {
      done.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      done.complete(values);
    }
  }

  @Test
  void aSubscriberGetsWhatItRequests() {
    var publisher = client.publish(repeat(1, 2, 3));
    var all = new Some(9);
    publisher.subscribe(all);

    assertThat(all.done.join()).containsExactly(1, 2, 3);

    var two = new Some(2);
    publisher.subscribe(two);
    assertThat(two.done.join()).containsExactly(1, 2);
  }

  @Test
  void aSubscriberThatRequestsNothingIsToldSo() {
    var none = new Some(1, 0);

    client.publish(repeat(1)).subscribe(none);

    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(none.done::join)
        .withMessageContaining("the subscriber has requested 0 responses");
  }
}
