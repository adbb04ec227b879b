package io.nereid.tck.model;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.execution.BrokenRule;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.HeldExecution;
import io.nereid.tck.execution.StandInModel;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.execution.TestResults;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A model with one instance, opened and called as a server does it: completed, loaded, and the
 * instance on one platform thread of its own from open to close. Used by the test's thread.
 */
public final class OpenModel implements AutoCloseable {
  /** What gathered inputs contain once execute has returned: each time another byte. */
  private byte gatheredByTheNext = 0x5a;

  private final OpenBackend backend;
  private final boolean ownsBackend;
  private final CallingThread thread;
  private final ModelConfig config;
  private final Model model;
  private final ModelInstance instance;

  private OpenModel(OpenBackend backend, boolean ownsBackend) {
    this.backend = backend;
    this.ownsBackend = ownsBackend;
    this.thread = backend.thread();
    Model loaded = null;
    try {
      config = backend.complete(backend.tested().config());
      loaded = backend.load(config);
      model = loaded;
      instance = open(backend.tested(), loaded);
    } catch (RuntimeException | Error failure) {
      thread.close();
      abandon(loaded, failure);
      throw failure;
    }
  }

  private ModelInstance open(BackendUnderTest tested, Model loaded) {
    return OpenBackend.present(
        "Model.open",
        thread.<@Nullable ModelInstance>call("Model.open", () -> loaded.open(tested.instance(0))));
  }

  /** Closes what was opened before a failure, as the server does. */
  private void abandon(@Nullable Model loaded, Throwable failure) {
    try {
      if (loaded != null && !isHung()) {
        backend.close(loaded);
      }
      if (ownsBackend) {
        backend.close();
      }
    } catch (RuntimeException | Error another) {
      failure.addSuppressed(another);
    }
  }

  /** Opens a backend with a model. */
  public static OpenModel of(BackendUnderTest tested) {
    return of(tested, CallSettings.DEFAULT);
  }

  /** Opens a backend with a model. */
  public static OpenModel of(BackendUnderTest tested, CallSettings settings) {
    return new OpenModel(OpenBackend.of(tested, settings), true);
  }

  /** Loads a model of a backend, which must outlive it. */
  public static OpenModel of(OpenBackend backend) {
    return new OpenModel(backend, false);
  }

  private boolean isHung() {
    return thread.isHung() || backend.isHung();
  }

  /** The completed configuration. */
  public ModelConfig config() {
    return config;
  }

  public ModelInstance instance() {
    return instance;
  }

  /** What stands for the models that are called, by name. */
  public Map<String, StandInModel> calledModels() {
    return backend.calledModels();
  }

  /** For calls on a thread of the {@link #backend}. */
  public Model model() {
    return model;
  }

  public OpenBackend backend() {
    return backend;
  }

  /** Makes calls on the instance's thread. */
  public <T> T call(Callable<T> calls) {
    return thread.call("a method of ModelInstance", calls);
  }

  /** Whether the model declares that it fills its outputs. */
  public boolean fillsOutputs() {
    return backend.loader().call("Model.fillsOutputs", model::fillsOutputs);
  }

  /** Runs a batch of requests for all outputs; its memory ends with the call. */
  public ExecutedBatch execute(List<List<Tensor>> requests) {
    return run(requests.stream().map(SampleRequest::of).toList());
  }

  /** Runs a batch of requests; its memory ends with the call. */
  public ExecutedBatch run(List<SampleRequest> requests) {
    try (var batch = new TestBatch(config)) {
      return execute(batch.addAll(requests));
    }
  }

  /** Runs a batch, which stays the caller's. */
  public ExecutedBatch execute(TestBatch batch) {
    return execute(batch, (byte) 0);
  }

  /**
   * Runs a batch, which stays the caller's.
   *
   * @param fill each byte of the memory that is allocated for outputs
   */
  public ExecutedBatch execute(TestBatch batch, byte fill) {
    try (var held = hold(batch, fill)) {
      release(held);
      return held.execution();
    }
  }

  /** Releases what the backend has given in an execution, by another thread than the instance's. */
  public void release(HeldExecution held) {
    if (!held.given().isEmpty()) {
      try {
        backend.loader().run("the release of an output", held::release);
      } catch (HungCall hung) {
        throw new BrokenRule("BACKEND-MEMORY-12", String.valueOf(hung.getMessage()), hung);
      }
    }
  }

  /**
   * The execution of a batch, once the requests that it has detached have ended.
   *
   * @param atMost how long they may take
   */
  public static ExecutedBatch ended(
      ModelConfig config, TestBatch batch, TestResults results, Duration atMost) {
    results.endExecution();
    requireEnded(results, atMost);
    var held = HeldExecution.of(config, batch, results, results.found());
    held.release();
    return held.execution();
  }

  /**
   * Runs a batch, whose outputs stay until they are released. Waits until the requests that are
   * detached have ended.
   */
  public HeldExecution hold(TestBatch batch, byte fill) {
    return ended(batch, start(batch, fill));
  }

  /** Calls execute for a batch; requests that it detaches may go on. */
  private TestResults start(TestBatch batch, byte fill) {
    TestResults results = thread.call("ModelInstance.execute", () -> executed(batch, fill));
    if (results.hasDetached()) {
      batch.overwriteGathered(gatheredByTheNext++);
    }
    return results;
  }

  /** Whether the model detaches a request of a batch. */
  public boolean detaches(List<SampleRequest> requests) {
    try (var batch = new TestBatch(config).addAll(requests);
        var held = hold(batch, (byte) 0)) {
      release(held);
      return held.results().hasDetached();
    }
  }

  /**
   * Runs batches one after the other, each before the detached requests of those before it have
   * ended.
   */
  public List<ExecutedBatch> runTogether(List<List<SampleRequest>> all) {
    List<TestBatch> batches = new ArrayList<>();
    List<TestResults> started = new ArrayList<>();
    List<ExecutedBatch> executions = new ArrayList<>();
    try {
      for (List<SampleRequest> requests : all) {
        batches.add(new TestBatch(config).addAll(requests));
        started.add(start(batches.getLast(), (byte) 0));
      }
      for (int i = 0; i < all.size(); i++) {
        try (var held = ended(batches.get(i), started.get(i))) {
          release(held);
          executions.add(held.execution());
        }
      }
      return executions;
    } finally {
      batches.forEach(TestBatch::close);
    }
  }

  private TestResults executed(TestBatch batch, byte fill) {
    batch.standIns(calledModels());
    var results = new TestResults(config, batch, model::isShapeHint, fill, backend.violations());
    try {
      instance.execute(results.scopedBatch(), results);
    } catch (InferenceException failure) {
      results.failOpen(failure);
    } catch (Throwable unexpected) { // as the server does
      results.failOpen(
          InferenceException.of(unexpected)
              .orElseGet(() ->
                  new InferenceException(
                      StatusCode.INTERNAL, "execute throws " + unexpected, unexpected)));
    }
    results.endExecution();
    return results;
  }

  /**
   * Waits until the requests that an execution has detached have ended.
   *
   * @throws BrokenRule if one does not
   */
  private static void requireEnded(TestResults results, Duration atMost) {
    List<Integer> open = results.awaitDetached(atMost);
    if (!open.isEmpty()) {
      String found =
          "the detached requests %s have not ended %d ms after execute has returned"
              .formatted(open, atMost.toMillis());
      throw new BrokenRule("BACKEND-DET-01", found, new HungCall(found));
    }
  }

  /** The execution, once the requests that it has detached have ended. */
  private HeldExecution ended(TestBatch batch, TestResults results) {
    requireEnded(results, backend.maxCall());
    return HeldExecution.of(config, batch, results, backend.violations());
  }

  /**
   * Closes the instance, the model and the backend, unless a call hangs.
   *
   * @throws BrokenRule if something was done against a rule that was not seen in an execution
   */
  @Override
  public void close() {
    try {
      if (!isHung()) {
        OpenBackend.close(thread, "ModelInstance.close", instance::close);
      }
    } finally {
      thread.close();
      try {
        if (!isHung()) {
          backend.close(model);
        }
      } finally {
        if (ownsBackend) {
          backend.close();
        }
      }
    }
  }
}
