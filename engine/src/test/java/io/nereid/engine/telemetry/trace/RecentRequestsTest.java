package io.nereid.engine.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.RecentRequest.Part;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.ModelKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The slowest and the failed requests that are watched, by a clock of the test. */
class RecentRequestsTest {
  private static final ModelKey MODEL = new ModelKey("m", 3);
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();

  private final AtomicLong clock = new AtomicLong();
  private final List<List<RequestTrace>> written = new ArrayList<>();
  private final Tracer tracer = tracer(TraceSettings.DEFAULT);

  private Tracer tracer(TraceSettings settings) {
    return new Tracer(settings, ClientSettings.ALL, clock::get, (_, traces) -> written.add(traces));
  }

  private static @Nullable RequestTrace sample(Tracer tracer, String model) {
    return tracer.sample(model, "", (_, _) -> Optional.empty());
  }

  /** A request that takes so long, and fails if there is a reason. */
  private void request(String model, String id, long nanos, @Nullable String failure) {
    RequestTrace trace = Objects.requireNonNull(sample(tracer, model));
    trace.begin(new ModelKey(model, 3), id, clock.get());
    clock.addAndGet(nanos);
    if (failure != null) {
      trace.failed(InferenceException.invalid(failure));
    }
    trace.end();
    trace.close();
  }

  private static List<String> ids(List<RecentRequest> requests) {
    return requests.stream().map(RecentRequest::id).toList();
  }

  @Test
  void noRequestIsTracedUnlessItIsWatched() {
    assertThat(sample(tracer, "m")).isNull();
    assertThat(tracer.recent("m").slowest()).isEmpty();
  }

  @Test
  void aWatchedRequestHasTheTimesOfItsStagesAndOfThoseOfItsSteps() {
    tracer.watch(RecentRequests.ALL);
    clock.set(1_000);
    RequestTrace trace = Objects.requireNonNull(sample(tracer, "m"));
    trace.mark(TracePoint.HTTP_RECV_START);
    trace.begin(MODEL, "id", 1_010);
    RequestTrace step = trace.child();
    step.begin(new ModelKey("s", 1), "id", 1_020);
    step.computed(1_021, 1_022, 1_023, 1_024);
    step.setCached();
    clock.set(1_030);
    step.end();
    trace.end();
    clock.set(1_100);
    trace.close();

    assertThat(tracer.recent(RecentRequests.ALL).slowest())
        .containsExactly(
            new RecentRequest(
                "m",
                "id",
                "",
                "",
                1_000,
                100,
                List.of(
                    new Part(
                        "m",
                        3,
                        false,
                        Map.of(
                            TracePoint.HTTP_RECV_START,
                            0L,
                            TracePoint.REQUEST_START,
                            10L,
                            TracePoint.REQUEST_END,
                            30L)),
                    new Part(
                        "s",
                        1,
                        true,
                        Map.of(
                            TracePoint.REQUEST_START,
                            20L,
                            TracePoint.COMPUTE_START,
                            21L,
                            TracePoint.COMPUTE_INPUT_END,
                            22L,
                            TracePoint.COMPUTE_OUTPUT_START,
                            23L,
                            TracePoint.COMPUTE_END,
                            24L,
                            TracePoint.REQUEST_END,
                            30L)))));
    assertThat(written).isEmpty();
  }

  @Test
  void aRequestThatWasNeverAdmittedIsOfTheModelThatItAskedFor() {
    tracer.watch("m");
    RequestTrace trace = Objects.requireNonNull(sample(tracer, "m"));
    trace.mark(TracePoint.HTTP_RECV_START);
    trace.failed(InferenceException.invalid("no such input"));
    trace.close();

    RecentRequest failed = tracer.recent("m").failed().getFirst();
    assertThat(failed.failure()).isEqualTo("no such input");
    assertThat(failed.parts().getFirst().model()).isEqualTo("m");
    assertThat(failed.parts().getFirst().version()).isZero();
  }

  @Test
  void theSlowestOfAMinuteAreKept() {
    tracer.watch("m");
    IntStream.rangeClosed(1, RequestWatch.KEPT).forEach(i -> request("m", "" + i, i, null));
    assertThat(tracer.recent("m").slowest()).hasSize(RequestWatch.KEPT);

    request("m", "as fast as the fastest", 1, null);
    assertThat(ids(tracer.recent("m").slowest())).startsWith("20", "19").endsWith("2", "1");
    request("m", "slow", 1_000, null);
    assertThat(ids(tracer.recent("m").slowest())).startsWith("slow", "20").endsWith("3", "2");
  }

  @Test
  void theLastFailuresAreKept() {
    tracer.watch("m");
    for (int i = 0; i <= RequestWatch.KEPT; i++) {
      request("m", "" + i, 100 - i, "reason");
    }

    assertThat(ids(tracer.recent("m").failed()))
        .hasSize(RequestWatch.KEPT)
        .startsWith("20", "19")
        .endsWith("1");
    assertThat(tracer.recent("m").slowest()).isEmpty();
  }

  @Test
  void requestsAreForgottenAfterFiveMinutes() {
    for (int minute = 0; minute < RequestWatch.MINUTES; minute++) {
      clock.set(minute * MINUTE);
      tracer.watch("m");
      request("m", "" + minute, 10 - minute, null);
      request("m", "failed " + minute, 1, "reason");
      clock.set((minute + 1) * MINUTE - 1);
      tracer.watch("m");
    }
    assertThat(ids(tracer.recent("m").slowest())).containsExactly("0", "1", "2", "3", "4");
    assertThat(ids(tracer.recent("m").failed())).startsWith("failed 4").endsWith("failed 0");

    clock.set(RequestWatch.MINUTES * MINUTE);
    assertThat(ids(tracer.recent("m").slowest())).containsExactly("1", "2", "3", "4");
  }

  @Test
  void aWatchEndsAfterAMinuteUnlessItIsAskedForAgain() {
    tracer.watch("m");
    clock.set(MINUTE - 1);
    request("m", "a", 0, null);
    assertThat(tracer.recent("m").leftNanos()).isEqualTo(1);
    tracer.watch("m");
    clock.set(2 * MINUTE - 2);
    assertThat(tracer.recent("m").slowest()).hasSize(1);

    clock.set(2 * MINUTE - 1);
    assertThat(sample(tracer, "m")).isNull();
    assertThat(tracer.recent("m").slowest()).isEmpty();
  }

  @Test
  void theRequestsOfOtherModelsAreNotKept() {
    tracer.watch("m");
    request("other", "a", 10, null);
    request("m", "b", 10, null);

    assertThat(ids(tracer.recent("m").slowest())).containsExactly("b");
    assertThat(tracer.recent("other").slowest()).isEmpty();
  }

  @Test
  void asManyModelsAreWatchedAsMayBe() {
    for (int i = 0; i < RecentRequests.MAX_WATCHES; i++) {
      tracer.watch("m" + i);
    }
    tracer.watch("m0");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> tracer.watch("m8"))
        .withMessageContaining("the requests of 8 other models are watched")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE));
    clock.set(MINUTE);
    tracer.watch("m8");
    assertThat(tracer.recent("m8").leftNanos()).isEqualTo(MINUTE);
  }

  @Test
  void aRequestThatTheSettingsChooseIsAlsoWrittenAndHasTheIdOfItsTrace() {
    Tracer writing =
        tracer(
            new TraceSettings(
                Set.of(TraceLevel.TIMESTAMPS), 2, -1, 0, new TraceDestination.Files("file")));
    writing.watch("m");
    for (int i = 0; i < 2; i++) {
      RequestTrace trace = Objects.requireNonNull(sample(writing, "m"));
      assertThat(trace.isSampled()).isEqualTo(i == 1);
      trace.begin(MODEL, "", clock.getAndIncrement());
      trace.end();
      trace.close();
    }

    assertThat(written).hasSize(1);
    assertThat(writing.recent("m").slowest().stream().map(RecentRequest::trace))
        .containsExactlyInAnyOrder("", "2");
  }

  @Test
  void theEndOfAWatchLeavesTheSettingsInForce() {
    Tracer writing =
        tracer(
            new TraceSettings(
                Set.of(TraceLevel.TIMESTAMPS), 2, -1, 0, new TraceDestination.Files("file")));
    writing.watch("m");
    clock.set(MINUTE);

    assertThat(sample(writing, "m")).isNull();
    assertThat(sample(writing, "m")).isNotNull();
  }

  @Test
  void textsOfClientsAreCut() {
    tracer.watch("m");
    String limit = "x".repeat(RecentRequest.MAX_TEXT);
    request("m", limit, 2, limit);
    request("m", limit + "x", 1, limit + "x");

    assertThat(tracer.recent("m").failed())
        .extracting(RecentRequest::id, RecentRequest::failure)
        .containsExactly(tuple(limit + "…", limit + "…"), tuple(limit, limit));
  }
}
