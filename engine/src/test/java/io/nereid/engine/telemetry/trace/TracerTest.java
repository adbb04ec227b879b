package io.nereid.engine.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.RequestTrace.Timestamp;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Sampling and settings. Sources: Triton, protocol documentation, extension_trace.md; tracer.cc.
 */
class TracerTest {
  private static final Set<TraceLevel> TIMESTAMPS = Set.of(TraceLevel.TIMESTAMPS);

  private final AtomicLong clock = new AtomicLong();
  private final List<List<RequestTrace>> collected = new ArrayList<>();
  private final List<TraceSampler> replaced = new ArrayList<>();

  private final TraceSink sink =
      new TraceSink() {
        @Override
        public void collected(TraceSampler sampler, List<RequestTrace> traces) {
          collected.add(traces);
        }

        @Override
        public void replaced(TraceSampler sampler) {
          replaced.add(sampler);
        }

        @Override
        public Dropped dropped() {
          return new Dropped("traces", 0);
        }

        @Override
        public void close() {}
      };

  private Tracer tracer(Set<TraceLevel> levels, long rate, int count) {
    return new Tracer(
        new TraceSettings(levels, rate, count, 0, new TraceDestination.Files("file")),
        ClientSettings.ALL,
        clock::get,
        sink);
  }

  /** Which of so many requests for a model are sampled. */
  private static List<Integer> sampled(Tracer tracer, String model, int requests) {
    List<Integer> hits = new ArrayList<>();
    for (int i = 1; i <= requests; i++) {
      try (RequestTrace trace = tracer.sample(model, "", (_, _) -> Optional.empty())) {
        if (trace != null) {
          hits.add(i);
        }
      }
    }
    return hits;
  }

  @Test
  void noRequestIsSampledWithoutALevel() {
    assertThat(sampled(tracer(Set.of(), 1, -1), "m", 10)).isEmpty();
  }

  @Test
  void everyRequestOfTheRateIsSampled() {
    assertThat(sampled(tracer(TIMESTAMPS, 1, -1), "m", 3)).containsExactly(1, 2, 3);
    assertThat(sampled(tracer(TIMESTAMPS, 4, -1), "m", 13)).containsExactly(4, 8, 12);
  }

  @Test
  void theCountIsUsedUpAndShown() {
    Tracer tracer = tracer(TIMESTAMPS, 2, 2);

    assertThat(sampled(tracer, "m", 3)).containsExactly(2);
    assertThat(tracer.settings("").count()).isEqualTo(1);
    assertThat(sampled(tracer, "m", 10)).containsExactly(1);
    assertThat(tracer.settings("").count()).isZero();
  }

  @Test
  void aModelWithoutSettingsSharesTheCounterOfTheServer() {
    Tracer tracer = tracer(TIMESTAMPS, 2, -1);

    assertThat(sampled(tracer, "a", 1)).isEmpty();
    assertThat(sampled(tracer, "b", 1)).containsExactly(1);
  }

  @Test
  void aModelHasSettingsOfItsOwnAndTheServersForTheRest() {
    Tracer tracer = tracer(Set.of(), 3, -1);

    tracer.change("m", settings -> settings.withLevels(TIMESTAMPS));

    assertThat(tracer.settings("m"))
        .isEqualTo(new TraceSettings(TIMESTAMPS, 3, -1, 0, new TraceDestination.Files("file")));
    assertThat(sampled(tracer, "m", 3)).containsExactly(3);
    assertThat(sampled(tracer, "other", 3)).isEmpty();
  }

  @Test
  void aChangeOfTheServersReachesModelsWhereTheyDoNotSayOtherwise() {
    Tracer tracer = tracer(TIMESTAMPS, 3, -1);
    tracer.change("m", settings -> settings.withRate(5L));

    tracer.change("", settings -> settings.withRate(7L).withLogFrequency(9L));

    assertThat(tracer.settings("m"))
        .isEqualTo(new TraceSettings(TIMESTAMPS, 5, -1, 9, new TraceDestination.Files("file")));
    assertThat(tracer.settings("x"))
        .isEqualTo(new TraceSettings(TIMESTAMPS, 7, -1, 9, new TraceDestination.Files("file")));
  }

  @Test
  void aSettingThatIsClearedFallsBack() {
    Tracer tracer = tracer(TIMESTAMPS, 3, -1);
    tracer.change("", settings -> settings.withRate(4L));
    tracer.change("m", settings -> settings.withRate(5L).withCount(1));

    tracer.change("m", settings -> settings.withRate(null));
    assertThat(tracer.settings("m").rate()).isEqualTo(4);
    assertThat(tracer.settings("m").count()).isEqualTo(1);
    tracer.change("m", settings -> settings.withCount(null));
    tracer.change("", settings -> settings.withRate(null));

    assertThat(tracer.settings("m"))
        .isEqualTo(new TraceSettings(TIMESTAMPS, 3, -1, 0, new TraceDestination.Files("file")));
  }

  @Test
  void aChangeOfAnotherSettingKeepsTheCountThatIsLeft() {
    Tracer tracer = tracer(TIMESTAMPS, 1, -1);
    tracer.change("", settings -> settings.withCount(5));
    sampled(tracer, "m", 2);

    tracer.change("", settings -> settings.withRate(2L));

    assertThat(tracer.settings("").count()).isEqualTo(3);
  }

  @Test
  void settingsThatCannotBeInForceAreRefusedAndChangeNothing() {
    Tracer tracer = tracer(TIMESTAMPS, 3, -1);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> tracer.change("", settings -> settings.withRate(0L)))
        .withMessage("Attempting to set invalid trace setting :sample rate must be non-zero");
    assertThat(tracer.settings("").rate()).isEqualTo(3);
    assertThat(replaced).isEmpty();
    var nowhere = new Tracer(TraceSettings.DEFAULT, ClientSettings.ALL, clock::get, sink);
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> nowhere.change("m", settings -> settings.withLevels(TIMESTAMPS)))
        .withMessage("Attempting to set invalid trace setting :trace file name is not given");
  }

  @Test
  void aRequestThatIsAdmittedAfterItsFrontEndHasGivenUpIsCollectedOnce() {
    RequestTrace trace =
        Objects.requireNonNull(
            tracer(TIMESTAMPS, 1, -1).sample("m", "", (_, _) -> Optional.empty()));
    trace.close(); // cancelled before
    trace.begin(new ModelKey("m", 3), "id", 10);
    trace.end();

    assertThat(collected).hasSize(1);
    assertThat(collected.getFirst().getFirst().model()).isNull();
  }

  @Test
  void aTraceIsCollectedOnceItsFrontEndAndItsRequestsHaveEnded() {
    Tracer tracer = tracer(TIMESTAMPS, 1, -1);
    RequestTrace trace = Objects.requireNonNull(tracer.sample("m", "", (_, _) -> Optional.empty()));
    trace.begin(new ModelKey("m", 3), "id", 10);
    RequestTrace step = trace.child();
    step.begin(new ModelKey("s", 1), "id", 20);
    clock.set(30);
    step.computed(21, 22, 23, 24);
    step.end();
    trace.end();
    trace.close();
    RequestTrace late = Objects.requireNonNull(tracer.sample("m", "", (_, _) -> Optional.empty()));
    late.begin(new ModelKey("m", 3), "", 40);
    late.close(); // the client has gone
    assertThat(collected).hasSize(1);
    late.end();

    assertThat(collected).hasSize(2);
    assertThat(collected.getFirst()).containsExactly(trace, step);
    assertThat(step.parentId()).isEqualTo(trace.id());
    assertThat(trace.parentId()).isZero();
    assertThat(step.timestamps())
        .containsExactly(
            new Timestamp(TracePoint.REQUEST_START, 20),
            new Timestamp(TracePoint.COMPUTE_START, 21),
            new Timestamp(TracePoint.COMPUTE_INPUT_END, 22),
            new Timestamp(TracePoint.COMPUTE_OUTPUT_START, 23),
            new Timestamp(TracePoint.COMPUTE_END, 24),
            new Timestamp(TracePoint.REQUEST_END, 30));
    assertThat(late.id()).isGreaterThan(step.id());
  }

  @Test
  void aChangeOfTheServersThatAModelsSettingsDoNotPermitChangesNothing() {
    Tracer tracer = tracer(Set.of(), 3, -1);
    tracer.change("m", settings -> settings.withLevels(TIMESTAMPS));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> tracer.change("", settings -> settings.withCount(4).withRate(0L)))
        .withMessage("Attempting to set invalid trace setting :sample rate must be non-zero");

    assertThat(tracer.settings(""))
        .isEqualTo(new TraceSettings(Set.of(), 3, -1, 0, new TraceDestination.Files("file")));
    assertThat(tracer.settings("m"))
        .isEqualTo(new TraceSettings(TIMESTAMPS, 3, -1, 0, new TraceDestination.Files("file")));
    assertThat(replaced).isEmpty();
    assertThat(sampled(tracer, "m", 3)).containsExactly(3);
  }

  @Test
  void theRateOfExportedTracesMayBecomeZero() {
    var exported = new TraceDestination.OpenTelemetry(List.of());
    var tracer =
        new Tracer(
            new TraceSettings(TIMESTAMPS, 1, -1, 0, exported),
            ClientSettings.ALL,
            clock::get,
            sink);

    tracer.change("", settings -> settings.withRate(0L));

    assertThat(tracer.settings("").rate()).isZero();
    assertThat(sampled(tracer, "m", 3)).isEmpty();
  }

  @Test
  void theContextOfAClientsTraceIsNotReadIfTracesAreWrittenToFiles() {
    RequestTrace trace =
        tracer(TIMESTAMPS, 2, -1)
            .sample(
                "m",
                "",
                (_, header) -> {
                  throw new AssertionError(header);
                });

    assertThat(trace).isNull();
  }
}
