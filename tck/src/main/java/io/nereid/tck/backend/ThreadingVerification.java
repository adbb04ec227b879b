package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.spi.Model;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.Rule;
import io.nereid.tck.support.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.Tensors;
import io.nereid.tck.support.TestBatch;
import io.nereid.tck.support.TestResults;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Several instances, each with a thread. */
public abstract class ThreadingVerification extends BackendVerification {
  private static final int INSTANCES = 3;
  private static final int ROUNDS = 20;

  @Test
  @Rule("BACKEND-THREAD-01")
  void runsInstancesOfOneModelAtTheSameTime() throws Exception {
    var tested = backend();
    try (var backend = tested.provider().open(tested.settings())) {
      var config = backend.complete(tested.files(), tested.config());
      try (var model = backend.load(tested.files(), config);
          var threads = Executors.newFixedThreadPool(INSTANCES)) {
        var start = new CountDownLatch(INSTANCES);
        List<Future<List<Outcome.Outputs>>> running = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
          running.add(threads.submit(rounds(tested, model, config, i, start)));
        }
        var first = running.getFirst().get();
        for (Future<List<Outcome.Outputs>> other : running) {
          assertThat(other.get()).hasSize(ROUNDS);
          for (int round = 0; round < ROUNDS; round++) {
            Tensors.assertSame(other.get().get(round), first.get(round));
          }
        }
      }
    }
  }

  @Test
  @Rule("BACKEND-THREAD-02")
  void tellsItsHealthToAnyThreadWhileItExecutes() throws Exception {
    try (var model = OpenModel.of(backend());
        var threads = Executors.newSingleThreadExecutor()) {
      var asked = threads.submit(() -> model.instance().isHealthy());
      for (int round = 0; round < ROUNDS; round++) {
        model.execute(BackendVerification.requests(model.config(), round));
      }
      assertThat(asked.get()).isTrue();
    }
  }

  @Test
  @Rule("BACKEND-THREAD-03")
  void endsABatchWhoseRequestsAreAllCancelled() {
    try (var model = OpenModel.of(backend());
        var batch = new TestBatch(model.config())) {
      BackendVerification.requests(model.config(), 1).forEach(batch::add);
      batch.cancel();
      var cancelled = model.execute(batch);
      assertThat(cancelled.violations()).isEmpty();

      var next = model.execute(BackendVerification.requests(model.config(), 2));
      assertThat(next.outputs(0).tensors()).isNotEmpty();
    }
  }

  private static Callable<List<Outcome.Outputs>> rounds(
      BackendUnderTest tested, Model model, ModelConfig config, int number, CountDownLatch start) {
    return () -> {
      List<Outcome.Outputs> outputs = new ArrayList<>();
      try (var instance = model.open(tested.instance(number))) {
        start.countDown();
        start.await();
        for (int round = 0; round < ROUNDS; round++) {
          try (var batch = new TestBatch(config)) {
            BackendVerification.requests(config, round).forEach(batch::add);
            try (var results = new TestResults(config, batch)) {
              instance.execute(batch, results);
              outputs.add((Outcome.Outputs) results.answers().getFirst().getFirst());
            }
          }
        }
      }
      return outputs;
    };
  }
}
