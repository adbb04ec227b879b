package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.spi.ModelInstance;
import io.nereid.tck.Rule;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.execution.TestResults;
import io.nereid.tck.execution.Violations;
import io.nereid.tck.model.CallingThread;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.SampleRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Instances and their threads, and what the calls leave behind on a thread. */
public abstract class ThreadingVerification extends BackendVerification {
  private static final int INSTANCES = 3;
  private static final int ROUNDS = 20;

  @Rule("BACKEND-THREAD-01")
  void runsInstancesOfOneModelAtTheSameTime() {
    try (var model = open();
        var tests = Executors.newFixedThreadPool(INSTANCES)) {
      List<CallingThread> threads = new ArrayList<>();
      List<ModelInstance> instances = new ArrayList<>();
      for (int i = 0; i < INSTANCES; i++) {
        var settings = model.backend().tested().instance(i + 1);
        threads.add(model.backend().thread());
        instances.add(threads.get(i).call("Model.open", () -> model.model().open(settings)));
      }
      for (int round = 0; round < ROUNDS; round++) { // whose inputs may be large
        var requests = requests(model.config(), round);
        var start = new CyclicBarrier(INSTANCES);
        List<Future<ExecutedBatch>> running = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
          var thread = threads.get(i);
          var instance = instances.get(i);
          running.add(tests.submit(() -> together(start, thread, model, instance, requests)));
        }
        var first = result(running.getFirst());
        for (Future<ExecutedBatch> other : running.subList(1, INSTANCES)) {
          assertSame(result(other), first);
        }
      }
      for (int i = 0; i < INSTANCES; i++) {
        threads.get(i).run("ModelInstance.close", instances.get(i)::close);
        threads.get(i).close();
      }
    }
  }

  /** The result of calls, each of which may take as long as a call. */
  private <T> T result(Future<T> future) {
    try {
      return future.get(maxCall().toMillis() * ROUNDS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException tooLong) {
      throw new AssertionError("ModelInstance.execute has not returned", tooLong);
    } catch (Exception failed) {
      switch (failed.getCause()) {
        case Error error -> throw error;
        case RuntimeException exception -> throw exception;
        case null, default -> throw new AssertionError(failed);
      }
    }
  }

  private static ExecutedBatch together(
      CyclicBarrier start,
      CallingThread thread,
      OpenModel model,
      ModelInstance instance,
      List<SampleRequest> requests)
      throws InterruptedException, BrokenBarrierException {
    start.await();
    return execution(
        model,
        requests,
        batch -> thread.call("ModelInstance.execute", () -> executed(model, instance, batch)));
  }

  /** The execution of requests by a call, once the requests that it has detached have ended. */
  private static ExecutedBatch execution(
      OpenModel model, List<SampleRequest> requests, Function<TestBatch, TestResults> call) {
    try (var batch = new TestBatch(model.config()).standIns(model.calledModels()).addAll(requests);
        var results = call.apply(batch)) {
      return OpenModel.ended(model.config(), batch, results, model.backend().maxCall());
    }
  }

  /** Executes on the calling thread. */
  private static TestResults executed(OpenModel model, ModelInstance instance, TestBatch batch) {
    var results =
        new TestResults(
            model.config(), batch, model.model()::isShapeHint, (byte) 0, new Violations());
    instance.execute(results.scopedBatch(), results);
    results.endExecution();
    return results;
  }

  @Rule("BACKEND-THREAD-02")
  void tellsItsHealthToAnyThreadWhileItExecutes() {
    try (var model = open()) {
      requireWhileItExecutes(
          model,
          "ModelInstance.isHealthy",
          () -> assertThat(model.instance().isHealthy()).as("healthy").isTrue());
    }
  }

  @Rule("BACKEND-THREAD-03")
  void endsABatchWhoseRequestsAreAllCancelled() {
    try (var model = open()) {
      var next = requests(model.config(), 2);
      var before = model.run(next).requireSound();
      assertThat(shortest(CHEAP, () -> cancellation(model, requests(model.config(), 1))))
          .as("the time of the action on cancellation")
          .isLessThan(CHEAP);
      assertSame(model.run(next).after("a batch was cancelled"), before);
      for (int cancelled : new int[] {0, next.size() - 1}) {
        requireOthersAnswered(model, next, cancelled, before);
      }
    }
  }

  private void requireOthersAnswered(
      OpenModel model, List<SampleRequest> requests, int cancelled, ExecutedBatch all) {
    try (var batch = new TestBatch(model.config()).addAll(requests)) {
      batch.cancel(cancelled);
      var execution = model.execute(batch).after("request %d was cancelled".formatted(cancelled));
      for (int i = 0; i < requests.size(); i++) {
        if (i != cancelled) {
          assertSame(
              "request %d beside a cancelled one".formatted(i),
              execution.responses(i),
              all.responses(i));
        }
      }
    }
  }

  @Rule("BACKEND-THREAD-04")
  void usesABatchOnItsThreadAndUntilItIsOver() {
    try (var model = open()) {
      runWithPauses(model);
    }
  }

  @Rule({"BACKEND-THREAD-05", "BACKEND-THREAD-06"})
  void leavesItsThreadAsItWas() {
    requireSound(4, 5);
  }

  @Rule("BACKEND-THREAD-07")
  void executesOnAnyThreadIfItSaysSo() {
    try (var model = open()) {
      boolean any = model.call(() -> model.instance().runsOnAnyThread());
      boolean again = model.call(() -> model.instance().runsOnAnyThread());
      assertThat(again).as("runsOnAnyThread is always the same").isEqualTo(any);
      assumeThat(any).as("the instance runs on any thread").isTrue();
      var requests = requests(model.config(), 6);
      var expected = model.run(requests).requireSound();
      for (Thread.Builder threads :
          List.of(Thread.ofVirtual(), Thread.ofPlatform().daemon(), Thread.ofVirtual())) {
        var executed =
            new FutureTask<>(() ->
                execution(model, requests, batch -> executed(model, model.instance(), batch)));
        threads.start(executed);
        assertSame(result(executed).after("it was executed by another thread"), expected);
      }
      assertSame(model.run(requests).after("others executed"), expected);
    }
  }

  @Rule("BACKEND-THREAD-08")
  void endsALongRequestSoonOnceItIsCancelled() {
    try (var model = open()) {
      requireEndOnceCancelled(model);
    }
  }
}
