package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.engine.execution.FakeModel;
import io.nereid.engine.execution.GroupSettings;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The events of Java Flight Recorder. */
@Timeout(120)
class JfrEventsTest {
  private static final ModelKey KEY = new ModelKey("m", 3);

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeClock clock = new FakeClock();
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore gate = new Semaphore(0);
  private final ModelConfig config =
      ModelConfig.of("m", "b")
          .withSignature(4, List.of(), List.of())
          .withScheduling(
              new BatchingSettings(
                  List.of(2),
                  1_000,
                  false,
                  0,
                  0,
                  new QueuePolicy(TimeoutAction.REJECT, 0, false, 2),
                  Map.of()));
  private InstanceGroup instances;
  private Scheduler scheduler;

  /** Holds each batch at the gate, and fails one whose first request is called bad. */
  private void hold(Batch batch) {
    begun.release();
    gate.acquireUninterruptibly();
    if (batch.request(0).id().equals("bad")) {
      throw new IllegalStateException("bad");
    }
  }

  @BeforeEach
  void open() {
    var model = FakeModel.executing((_, batch, _) -> hold(batch));
    instances =
        InstanceGroup.open(
            GroupSettings.of(
                ExecutedModels.of(config, model, pool, clock::nanos, TestStatistics.of(KEY))),
            List.of(FakeModel.instance("m_0")));
    scheduler = SchedulerLoop.start(instances, clock, QueueLimits.of(16), DecisionJournal.NONE);
  }

  @AfterEach
  void close() {
    gate.release(1_000);
    scheduler.close();
    instances.close();
  }

  private RecordedOutcome submit(String id, long rows) {
    var outcome = new RecordedOutcome();
    scheduler.submit(
        new PendingRequest(
            new InferenceRequest(KEY, id, List.of(), List.of(), RequestOptions.NONE),
            rows,
            List.of(),
            () -> {},
            new ResponsePromise(outcome),
            clock.nanos(),
            Long.MAX_VALUE));
    return outcome;
  }

  /** Runs four requests in three batches, of which one fails; the queue rejects a fifth. */
  private void run() throws InterruptedException {
    RecordedOutcome first = submit("a", 1);
    clock.advance(Duration.ofNanos(400_000));
    RecordedOutcome second = submit("b", 1);
    begun.acquire();
    RecordedOutcome bad = submit("bad", 2);
    submit("waits", 1);
    submit("rejected", 1).failure();
    gate.release(1);
    first.response().close();
    second.response().close();
    begun.acquire();
    gate.release(1);
    bad.failure();
    clock.advance(Duration.ofMillis(1));
    begun.acquire();
  }

  @Test
  void requestsBatchesAndExecutionsAreRecorded(@TempDir Path directory) throws Exception {
    submit("before", 2).calls(); // no recording: no event
    begun.acquire();
    gate.release();
    List<RecordedEvent> events;
    try (var recording = new Recording()) {
      recording.start();
      run();
      recording.stop();
      events = events(recording, directory.resolve("flight.jfr"));
    }

    assertThat(named(events, "nereid.Queued"))
        .map(event -> event.getString("requestId") + " " + event.getString("outcome"))
        .containsExactlyInAnyOrder(
            "a DISPATCHED",
            "b DISPATCHED",
            "bad DISPATCHED",
            "waits DISPATCHED",
            "rejected QUEUE_FULL");
    assertThat(named(events, "nereid.Queued"))
        .filteredOn(event -> event.getString("requestId").equals("a"))
        .map(event -> event.getDuration("queueTime"))
        .containsExactly(Duration.ofNanos(400_000));
    assertThat(named(events, "nereid.BatchFormed"))
        .map(event ->
            event.getInt("size")
                + " requests, "
                + event.getLong("rows")
                + " rows, "
                + event.getString("reason")
                + " "
                + event.getDuration("oldestAge").toNanos() / 1_000)
        .containsExactly(
            "2 requests, 2 rows, PREFERRED_SIZE 400",
            "1 requests, 2 rows, PREFERRED_SIZE 0",
            "1 requests, 1 rows, DELAY_PASSED 1000");
    assertThat(named(events, "nereid.Execution"))
        .map(event -> event.getLong("rows") + (event.getBoolean("failed") ? " failed" : ""))
        .containsExactly("2", "2 failed");
    assertThat(events)
        .allSatisfy(event -> {
          assertThat(event.getString("model")).isEqualTo("m");
          assertThat(event.getLong("version")).isEqualTo(3);
          assertThat(event.getStackTrace()).isNull();
          assertThat(event.getEventType().getCategoryNames()).containsExactly("Nereid");
        });
  }

  private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
    return events.stream().filter(event -> event.getEventType().getName().equals(name)).toList();
  }

  private static List<RecordedEvent> events(Recording recording, Path file) throws IOException {
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().startsWith("nereid."))
        .sorted(Comparator.comparing(RecordedEvent::getEndTime)) // each thread has its own buffer
        .toList();
  }
}
