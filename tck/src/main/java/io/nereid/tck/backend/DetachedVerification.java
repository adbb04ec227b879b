package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.SampleRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The requests that a model detaches, to answer them later than execute returns. {@link
 * ExecutionVerification} and the others hold for such a model too: they wait for its answers.
 */
public abstract class DetachedVerification extends BackendVerification {
  private static final int BATCHES = 4;
  private static final int MANY = 100;

  @Rule("BACKEND-DET-01")
  void endsEachDetachedRequest() {
    try (var model = open()) {
      requireDetaching(model);
      var requests = requests(model.config(), 1);
      var first = model.run(requests).requireSound();
      assertSame(model.run(requests).after("the same requests"), first);
      extremes(model);
      endsMany(model);
    }
  }

  /** Detaches so many at the same time that a queue of the backend may be full: it may refuse. */
  private void endsMany(OpenModel model) {
    var requests = equalRequests(model.config(), 2);
    long alone = Math.max(1, timed(() -> model.run(requests)).toNanos());
    long batches = Math.ceilDiv(MANY, requests.size());
    long inTime = maxCall().toNanos() / 2 / alone; // if they are answered one after the other
    for (var ended :
        model.runTogether(Collections.nCopies((int) Math.min(batches, inTime), requests))) {
      ended.found().requireNone();
    }
  }

  @Rule("BACKEND-DET-02")
  void doesNotUseADetachedRequestAfterItsEnd() {
    Queue<String> uncaught = new ConcurrentLinkedQueue<>();
    var handler = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> uncaught.add("%s in %s".formatted(thrown, thread)));
    try (var model = open()) {
      requireDetaching(model);
      runWithPauses(model);
      assertThat(uncaught)
          .as("exceptions of threads, such as of an input that is read after the end")
          .noneMatch(thrown -> thrown.contains("Already closed"));
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(handler);
    }
  }

  @Rule("BACKEND-DET-03")
  void answersTheRequestsOfSeveralBatchesAtTheSameTime() {
    try (var model = open()) {
      requireDetaching(model);
      List<List<SampleRequest>> batches = new ArrayList<>();
      List<ExecutedBatch> alone = new ArrayList<>();
      for (int i = 0; i < BATCHES; i++) {
        var requests = requests(model.config(), 10 + i);
        batches.add(requests);
        alone.add(model.run(requests).requireSound());
      }
      List<ExecutedBatch> together = model.runTogether(batches);
      for (int i = 0; i < BATCHES; i++) {
        assertSame(together.get(i).after("several batches had detached requests"), alone.get(i));
      }
    }
  }

  @Rule("BACKEND-DET-04")
  void endsALongDetachedRequestSoonOnceItIsCancelled() {
    try (var model = open()) {
      requireDetaching(model);
      requireEndOnceCancelled(model);
    }
  }

  @Rule("BACKEND-DET-05")
  void servesTheNextRequestAfterDetachedOnesThatWereCancelled() {
    try (var model = open()) {
      requireDetaching(model);
      var requests = requests(model.config(), 3);
      var before = model.run(requests).requireSound();
      assertThat(shortest(CHEAP, () -> cancellation(model, requests(model.config(), 4))))
          .as("the time of an action on cancellation")
          .isLessThan(CHEAP);
      assertSame(model.run(requests).after("detached requests were cancelled"), before);
    }
  }

  private void requireDetaching(OpenModel model) {
    assumeThat(model.detaches(requests(model.config(), 0)))
        .as("the model detaches requests")
        .isTrue();
  }
}
