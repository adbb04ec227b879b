package io.nereid.client.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.TransportSettings;
import io.nereid.client.rest.LyingServer.Answer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A reader of responses that throws, as one for which no memory is left, ends its call. */
@Timeout(60)
class ThrowingReaderTest {
  /** Where a reader is called. */
  enum Where {
    BEGIN,
    SUBSCRIBED,
    PIECE,
    END
  }

  static Stream<Arguments> cases() {
    return Stream.of(Where.values())
        .flatMap(where ->
            Stream.of(new OutOfMemoryError("test"), new StackOverflowError("test"))
                .map(thrown -> Arguments.of(where, thrown)));
  }

  private record Reader(Where where, Error thrown, HttpResponse.BodySubscriber<HttpBody> reader)
      implements HttpResponse.BodySubscriber<HttpBody> {
    private void throwAt(Where here) {
      if (where == here) {
        throw thrown;
      }
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      throwAt(Where.SUBSCRIBED);
      reader.onSubscribe(subscription);
    }

    @Override
    public void onNext(List<ByteBuffer> pieces) {
      throwAt(Where.PIECE);
      reader.onNext(pieces);
    }

    @Override
    public void onError(Throwable failure) {
      reader.onError(failure);
    }

    @Override
    public void onComplete() {
      throwAt(Where.END);
      reader.onComplete();
    }

    @Override
    public CompletionStage<HttpBody> getBody() {
      return reader.getBody();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void endsItsCallAndLeavesTheConnectionToTheNext(Where where, Error thrown) throws IOException {
    try (var server = new LyingServer(Answer.response(200, "", "{}"))) {
      var exchange =
          new Exchange(
              HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
              true,
              server.address(),
              new TransportSettings(Duration.ofSeconds(9), null, false, false, 1000, 1));
      var context =
          new CallContext(
              System.nanoTime() + Duration.ofHours(1).toNanos(),
              Duration.ofHours(1),
              Map.of(),
              null);

      Call<HttpBody> call =
          exchange.send(
              exchange.get("/", context),
              context,
              "asked",
              (info, received) -> {
                if (where == Where.BEGIN) {
                  throw thrown;
                }
                return new Reader(where, thrown, new BodyCollector(info, 1000, received));
              });
      CompletableFuture<HttpBody> next =
          exchange.send(exchange.get("/", context), context, "asked");

      assertThat(call)
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .withStackTraceContaining(thrown.toString());
      assertThat(next).succeedsWithin(Duration.ofSeconds(30));
      exchange.close();
    }
  }
}
