package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.PipelinedInstance;
import io.nereid.tck.Rule;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.execution.TestResults;
import io.nereid.tck.model.Flight;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.SampleRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Several batches in flight on one {@link PipelinedInstance}. */
public abstract class PipelineVerification extends BackendVerification {
  private static final long POLL_NANOS = 10_000;

  /** More than a call takes that does not wait. */
  private static final long QUICK_NANOS = 50_000;

  /** How many batches are started after the pipeline is full. */
  private static final int MORE = 20;

  /** How many batches differ: large inputs of more would fill the heap. */
  private static final int DISTINCT = 4;

  /** How long a device may take to read the inputs of a batch, or to complete it. */
  protected Duration maxWait() {
    return Duration.ofSeconds(60);
  }

  @Rule("BACKEND-PIPE-01")
  void hasADepthThatDoesNotChange() {
    try (var model = open()) {
      var batches = batches(model);
      call(
          model,
          instance -> {
            int depth = instance.depth();
            assertThat(depth).isPositive();
            Queue<Flight> flights = fill(model, instance, batches);
            assertThat(instance.depth()).isEqualTo(depth);
            finishAll(instance, flights);
            assertThat(instance.depth()).isEqualTo(depth);
            return true;
          });
    }
  }

  @Rule("BACKEND-PIPE-02")
  void givesEachBatchInFlightItsOwnOutputs() {
    try (var model = open()) {
      var batches = batches(model);
      List<ExecutedBatch> together =
          call(
              model,
              instance -> {
                List<ExecutedBatch> finished = new ArrayList<>();
                Queue<Flight> flights = new ArrayDeque<>();
                for (int i = 0; i < MORE; i++) {
                  if (flights.size() == instance.depth()) {
                    finished.add(flights.remove().finish(instance));
                  }
                  var batch = batches.get(i % DISTINCT);
                  flights.add(start(model, instance, batch, flights.isEmpty()));
                }
                finished.addAll(finishAll(instance, flights));
                return finished;
              });
      for (int i = 0; i < MORE; i++) {
        assertSame(together.get(i), model.run(batches.get(i % DISTINCT)));
      }
    }
  }

  @Rule("BACKEND-PIPE-03")
  void finishesTheOldestBatchFirst() {
    try (var model = open()) {
      var batches = batches(model);
      List<ExecutedBatch> finished =
          call(model, instance -> finishAll(instance, fill(model, instance, batches)));

      assertThat(finished)
          .allSatisfy(execution -> assertThat(execution.outputs(0).tensors()).isNotEmpty());
    }
  }

  @Rule("BACKEND-PIPE-04")
  void canStartABatchOnceItHasSaidSo() {
    try (var model = open()) {
      var batches = batches(model);
      call(
          model,
          instance -> {
            if (instance.depth() > 1) {
              Queue<Flight> flights = new ArrayDeque<>();
              flights.add(start(model, instance, batches.getFirst(), true));
              await(instance::canStart, "another batch can be started");
              for (int i = 0; i < MORE; i++) {
                assertThat(instance.canStart()).isTrue();
              }
              finishAll(instance, flights);
              requireNoWait(model, instance, batches);
            }
            return true;
          });
    }
  }

  /** Fails if the device completes the batch while canStart runs, in most of many batches. */
  private void requireNoWait(
      OpenModel model, PipelinedInstance instance, List<List<SampleRequest>> batches) {
    int waits = 0;
    for (int i = 0; i < MORE; i++) {
      Flight flight = start(model, instance, batches.get(i % DISTINCT), true);
      boolean finished = instance.isFinished();
      long nanos = timed(instance::canStart).toNanos();
      waits += !finished && nanos > QUICK_NANOS && instance.isFinished() ? 1 : 0;
      flight.finish(instance);
    }
    assertThat(waits)
        .as("batches that were completed while canStart ran")
        .isLessThanOrEqualTo(MORE * 3 / 4);
  }

  @Rule("BACKEND-PIPE-05")
  void tellsThatABatchIsFinishedBeforeItIsAskedToFinishIt() {
    try (var model = open()) {
      var requests = requests(model.config(), 1);
      ExecutedBatch finished =
          call(
              model,
              instance -> {
                Flight flight = start(model, instance, requests, true);
                await(instance::isFinished, "the batch is finished");
                assertThat(instance.isFinished()).isTrue();
                return flight.finish(instance);
              });

      assertThat(finished.outputs(0).tensors()).isNotEmpty();
    }
  }

  @Rule("BACKEND-PIPE-06")
  void executesABatchAloneBetweenOthers() {
    try (var model = open()) {
      var batches = batches(model);
      var requests = batches.getFirst();
      var before = model.run(requests);
      call(model, instance -> finishAll(instance, fill(model, instance, batches)));

      assertSame(model.run(requests), before);
    }
  }

  @Rule("BACKEND-PIPE-07")
  void keepsNothingOfABatchThatIsFinished() {
    try (var model = open()) {
      var batches = batches(model);
      call(
          model,
          instance -> {
            Queue<Flight> flights = fill(model, instance, batches);
            for (int i = 0; i < MORE; i++) {
              var finished = flights.remove().finish(instance); // its memory ends
              finished.requireSound();
              assertThat(finished.inputsUntouched()).isTrue();
              assertThat(finished.outputs(0).tensors()).isNotEmpty();
              var requests = batches.get(i % DISTINCT);
              flights.add(start(model, instance, requests, flights.isEmpty()));
            }
            return finishAll(instance, flights);
          });
    }
  }

  @Rule("BACKEND-PIPE-08")
  void finishesTheOthersIfABatchInFlightIsCancelled() {
    try (var model = open()) {
      var batches = batches(model);
      call(
          model,
          instance -> {
            Queue<Flight> flights = fill(model, instance, batches);
            int cancelled = flights.size() - 1;
            List.copyOf(flights).get(cancelled).batch().cancel();
            List<ExecutedBatch> finished = finishAll(instance, flights);

            finished.get(cancelled).found().requireNone();
            for (int i = 0; i < cancelled; i++) {
              assertThat(finished.get(i).outputs(0).tensors()).isNotEmpty();
            }
            return true;
          });
    }
  }

  /** Calls on the thread of an instance, which must be pipelined. */
  private static <T> T call(OpenModel model, Function<PipelinedInstance, T> calls) {
    assertThat(model.instance()).isInstanceOf(PipelinedInstance.class);
    return model.call(() -> calls.apply((PipelinedInstance) model.instance()));
  }

  /** Requests to start, made before the instance's thread, which never makes any, needs them. */
  private List<List<SampleRequest>> batches(OpenModel model) {
    return IntStream.range(0, DISTINCT).mapToObj(seed -> requests(model.config(), seed)).toList();
  }

  /** Starts as many batches as can be in flight. */
  private Queue<Flight> fill(
      OpenModel model, PipelinedInstance instance, List<List<SampleRequest>> batches) {
    Queue<Flight> flights = new ArrayDeque<>();
    int depth = instance.depth();
    for (int i = 0; i < depth; i++) {
      var requests = batches.get(i % DISTINCT);
      flights.add(start(model, instance, requests, flights.isEmpty()));
    }
    return flights;
  }

  /** Starts a batch as the server does: if others are in flight, once the instance says so. */
  private Flight start(
      OpenModel model, PipelinedInstance instance, List<SampleRequest> requests, boolean first) {
    if (!first) {
      await(instance::canStart, "another batch can be started");
    }
    var batch = new TestBatch(model.config());
    batch.standIns(model.calledModels()).addAll(requests);
    var flight = new Flight(model.config(), batch, new TestResults(model.config(), batch));
    instance.start(flight.results().scopedBatch(), flight.results());
    return flight;
  }

  private static List<ExecutedBatch> finishAll(PipelinedInstance instance, Queue<Flight> flights) {
    List<ExecutedBatch> finished = new ArrayList<>();
    while (!flights.isEmpty()) {
      finished.add(flights.remove().finish(instance));
    }
    return finished;
  }

  private void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + maxWait().toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited %s until %s".formatted(maxWait(), what));
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
