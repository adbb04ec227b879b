package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.BackendProvider;
import io.nereid.tck.execution.BrokenRule;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenBackend;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tck.support.TensorGenerator;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Tests on one model of a backend. A request of a sequence model is a whole sequence of one request
 * here; a request of a decoupled model may get any number of responses.
 */
@TestMethodOrder(RuleOrder.class)
public abstract class BackendVerification implements BackendFactory {
  private static final int MAX_REQUESTS = 64;
  private static final int MAX_EQUAL = 16;
  private static final int TRIES = 3;
  private static final long BEFORE_CANCELLATION = 90_000_000;
  private static final long PAUSE_NANOS = 30_000_000;

  /** How long a call may take that must not wait, on a busy machine. */
  static final Duration CHEAP = Duration.ofMillis(500);

  /** How long a cancelled request may go on: {@link #longRequest}. */
  protected Duration maxCancel() {
    return Duration.ofMillis(500);
  }

  /** Opens the model with one instance. */
  OpenModel open() {
    return opened("BACKEND-LIFE-03", () -> OpenModel.of(backend(), this));
  }

  /** Loads the model of a backend that is open, with one instance. */
  static OpenModel open(OpenBackend backend) {
    return opened("BACKEND-LIFE-03", () -> OpenModel.of(backend));
  }

  /** Loads the model of a backend once more, while another copy of it is loaded. */
  static OpenModel openAnother(OpenBackend backend) {
    return opened("BACKEND-LIFE-05", () -> OpenModel.of(backend));
  }

  /** What is opened; a failure of it breaks that rule, whichever is verified. */
  static <T> T opened(String rule, Supplier<T> open) {
    try {
      return open.get();
    } catch (BrokenRule broken) {
      throw broken;
    } catch (InferenceException | AssertionError failed) {
      throw new BrokenRule(rule, "cannot be opened: " + failed.getMessage(), failed);
    }
  }

  /** Opens the model and executes a batch of requests for each seed, which must break no rule. */
  void requireSound(long... seeds) {
    try (var model = open()) {
      for (long seed : seeds) {
        model.run(requests(model.config(), seed)).requireSound();
      }
    }
  }

  /** Executes batches one after the other, with time for what runs on other threads. */
  void runWithPauses(OpenModel model) {
    for (int round = 0; round < 3; round++) {
      model.run(requests(model.config(), round)).requireSound();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    model.run(requests(model.config(), 3)).requireSound();
  }

  /** Opens the backend alone. */
  OpenBackend openBackend() {
    return opened("BACKEND-LIFE-03", () -> OpenBackend.of(backend(), this));
  }

  /** Calls a method of the provider, within the limit. */
  <T> T ask(String method, Function<BackendProvider, T> question) {
    return OpenBackend.ask(backend(), this, method, question);
  }

  /** A request for all outputs. */
  SampleRequest request(ModelConfig config, long rows, long seed) {
    List<Tensor> inputs = new ArrayList<>(inputs(config, rows, seed));
    if (config.sequence().isEmpty()) {
      return SampleRequest.of(inputs, parameters(config, seed));
    }
    var added = new SequenceInputs(config, backend().files().modelDirectory());
    inputs.addAll(added.controls(seed + 1, true, true, true));
    inputs.addAll(added.initialStates().values());
    var options = added.options(seed + 1, true, true, parameters(config, seed));
    return new SampleRequest(inputs, List.of(), options);
  }

  /** Requests with 1, 2, ... rows as far as the model batches; one request if it does not. */
  List<SampleRequest> requests(ModelConfig config, long seed) {
    if (!config.batches()) {
      return List.of(request(config, 1, seed));
    }
    List<SampleRequest> requests = new ArrayList<>();
    boolean single = config.sequence().isPresent(); // a sequence adds one row to a batch
    long room = config.maxBatchSize();
    for (long rows = 1; rows <= room && requests.size() < MAX_REQUESTS; rows += single ? 0 : 1) {
      requests.add(request(config, rows, seed * 1000 + requests.size()));
      room -= rows;
    }
    return requests;
  }

  /** As many requests of one row as the largest batch has, up to {@value #MAX_EQUAL}. */
  List<SampleRequest> equalRequests(ModelConfig config, long seed) {
    List<SampleRequest> requests = new ArrayList<>();
    for (int i = 0; i < Math.clamp(config.maxBatchSize(), 1, MAX_EQUAL); i++) {
      requests.add(request(config, 1, seed * 1000 + i));
    }
    return requests;
  }

  /**
   * Requests of no elements, of floats that are no numbers and of a long byte string. Each is
   * answered, or left out if the model refuses it as INVALID_ARGUMENT.
   */
  List<SampleRequest> extremes(OpenModel model) {
    List<SampleRequest> accepted = new ArrayList<>();
    for (long seed = TensorGenerator.EMPTY; seed <= TensorGenerator.EXTREMES + 3; seed++) {
      var request = request(model.config(), 1, seed);
      var execution = model.run(List.of(request));
      if (!execution.isRefused(0)) {
        execution.requireSound();
        accepted.add(request);
      }
    }
    return accepted;
  }

  /** Fails unless two requests got the same responses, as far as the model is deterministic. */
  void assertSame(List<Outcome.Outputs> actual, List<Outcome.Outputs> expected) {
    if (isDeterministic()) {
      assertThat(actual).as("responses").hasSameSizeAs(expected);
    }
    for (int i = 0; i < Math.min(actual.size(), expected.size()); i++) {
      if (isDeterministic()) {
        Tensors.assertSame(actual.get(i), expected.get(i));
      } else {
        assertThat(actual.get(i).tensors().keySet()).isEqualTo(expected.get(i).tensors().keySet());
      }
    }
  }

  /** Fails, and says what was compared, unless two requests got the same responses. */
  void assertSame(String what, List<Outcome.Outputs> actual, List<Outcome.Outputs> expected) {
    try {
      assertSame(actual, expected);
    } catch (AssertionError differs) {
      String how = String.valueOf(differs.getMessage()).strip();
      throw new AssertionError("%s: %s".formatted(what, how), differs);
    }
  }

  /** Fails unless all requests got the same responses in both executions. */
  void assertSame(ExecutedBatch actual, ExecutedBatch expected) {
    for (int i = 0; i < expected.answers().size(); i++) {
      assertSame(actual.responses(i), expected.responses(i));
    }
  }

  /** Fails unless {@link #longRequest}, if there is one, ends soon once it is cancelled. */
  void requireEndOnceCancelled(OpenModel model) {
    Duration atMost = maxCancel();
    var request = longRequest(model.config());
    assumeThat(request).as("a long request that can be cancelled").isPresent();
    try (var tests = Executors.newSingleThreadExecutor()) {
      assertThat(shortest(atMost, () -> cancelled(model, request.orElseThrow(), tests)))
          .as("the time that the request went on")
          .isLessThan(atMost);
    }
    var early = List.of(request.orElseThrow());
    assertThat(shortest(atMost, () -> timed(() -> cancellation(model, early))))
        .as("the time of a request that is cancelled when it is executed")
        .isLessThan(atMost);
  }

  private Duration cancelled(OpenModel model, SampleRequest request, ExecutorService tests) {
    try (var batch = new TestBatch(model.config());
        var client = model.backend().thread()) {
      var running = tests.submit(() -> model.execute(batch.add(request)));
      LockSupport.parkNanos(BEFORE_CANCELLATION);
      assertThat(running.isDone()).as("the long request goes on").isFalse();
      long cancelled = System.nanoTime();
      client.run("the action on cancellation", batch::cancel);
      running.get(2 * maxCall().toMillis(), TimeUnit.MILLISECONDS).found().requireNone();
      return Duration.ofNanos(System.nanoTime() - cancelled);
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof Error error ? error : new AssertionError(failed);
    } catch (InterruptedException | TimeoutException hangs) {
      throw new AssertionError("a cancelled request goes on", hangs);
    }
  }

  /**
   * The longest action on the cancellation of requests that are cancelled when they are executed.
   */
  static Duration cancellation(OpenModel model, List<SampleRequest> requests) {
    try (var batch = new TestBatch(model.config()).addAll(requests)) {
      batch.cancel();
      model.execute(batch).found().requireNone();
      return batch.actionTime();
    }
  }

  /**
   * Fails if a call that must not wait fails in each of three executions: another thread makes it
   * at each use of the batch, and the execution waits for it.
   */
  void requireWhileItExecutes(OpenModel model, String method, Runnable call) {
    List<Throwable> failures = new ArrayList<>();
    for (int times = 0; times < TRIES && times == failures.size(); times++) {
      int before = times;
      try (var batch = new TestBatch(model.config())) {
        batch
            .addAll(requests(model.config(), times))
            .whenUsed(() -> {
              if (failures.size() == before) {
                try (var other = model.backend().thread(CHEAP)) {
                  other.run(method, call);
                } catch (InferenceException | AssertionError failed) {
                  failures.add(failed);
                }
              }
            });
        model.execute(batch).requireSound();
      }
    }
    assertThat(failures)
        .as("failures of %s while the instance executes", method)
        .hasSizeLessThan(TRIES);
  }

  static Duration timed(Runnable call) {
    long start = System.nanoTime();
    call.run();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /**
   * The time that something took, the shortest of up to three if the first is not below the limit:
   * a busy machine may stop for a second, but not in each of three.
   */
  static Duration shortest(Duration limit, Supplier<Duration> measured) {
    Duration shortest = measured.get();
    for (int more = 1; more < TRIES && shortest.compareTo(limit) >= 0; more++) {
      Duration next = measured.get();
      shortest = next.compareTo(shortest) < 0 ? next : shortest;
    }
    return shortest;
  }

  /** A list that a method of the contract has returned, which has to be there in whole. */
  static <T> List<T> present(String method, List<T> returned) {
    assertThat(returned).as(method).isNotNull().doesNotContainNull();
    return returned;
  }
}
