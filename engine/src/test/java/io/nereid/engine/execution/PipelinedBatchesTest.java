package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Batches;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each of several batches in flight has for itself: its end, its memory, its statistics. */
@Timeout(120)
class PipelinedBatchesTest extends PipelineUnderTest {
  @Test
  void aBatchIsOverForTheBackendOnceItIsFinished() {
    List<Runnable> uses = new ArrayList<>();
    var late = new AtomicInteger();
    FakeDevice device =
        device(2)
            .onStart((batch, results) -> {
              uses.add(batch::rows);
              uses.add(results::computeStarted);
            })
            .onFinish((batch, _) -> {
              for (Runnable use : uses) {
                try {
                  use.run();
                } catch (IllegalStateException over) {
                  late.incrementAndGet();
                }
              }
            });
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    device.complete(2);

    assertAnswered(a, b);
    assertThat(late).hasValue(2); // in the finish of b, those of a
  }

  @Test
  void eachBatchInFlightGathersItsInputsInMemoryOfItsOwn() {
    List<MemorySegment> gathered = new ArrayList<>();
    FakeDevice device =
        device(2).onStart((batch, _) -> gathered.add(batch.gathered("IN").orElseThrow().data()));
    scheduling = BatchingSettings.of(List.of(2), 1_000_000);
    serve("m_0");
    device.read(10);
    List<TestRequest> sent = Stream.of("a", "b", "c", "d").map(this::send).toList();
    assertThat(device.awaitStarted()).containsExactly("a", "b");
    assertThat(device.awaitStarted()).containsExactly("c", "d");

    assertThat(gathered.getFirst().asOverlappingSlice(gathered.getLast())).isEmpty();

    device.complete(2);
    assertAnswered(sent.toArray(TestRequest[]::new));
  }

  @Test
  void countsTheRequestsOfAllBatchesInFlightAsExecuting() {
    FakeDevice device = device(2);
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    assertThat(statistics.snapshot(5, List.of()).pending()).isEqualTo(3);

    device.complete(1);
    assertAnswered(a);
    device.complete(1);
    assertAnswered(b);
  }

  @Test
  void dividesTheTimeOfABatchAsItsDeviceMeasuredIt() {
    FakeDevice device =
        device(2)
            .onFinish((batch, results) -> {
              clock.advance(Duration.ofNanos(100));
              results.computed(30, 10);
            });
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    device.complete(2);

    assertAnswered(a, b);
    awaitParked("instance m_0");
    assertThat(statistics.snapshot(0, List.of()).batches())
        .containsExactly(
            Map.entry(
                1L,
                new Batches(
                    new DurationSum(2, 60 + 160), new DurationSum(2, 60), new DurationSum(2, 20))));
  }
}
