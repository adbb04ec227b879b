package io.nereid.engine.scheduling.ensemble;

import io.nereid.engine.call.CalledModel;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SharedLease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.engine.scheduling.ensemble.EnsembleStatistics.ComputeTimes;
import io.nereid.engine.scheduling.ensemble.graph.EnsemblePlan;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleStep;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleStep.Mapping;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Tensor;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The execution of one request of an ensemble, driven by {@link Event}s. A step's request starts as
 * soon as its inputs are complete. After the first failure no further one starts; the outcome
 * follows once the pending ones have ended.
 *
 * <p>Events are handled one at a time by the threads that post them. A thread that posts an event
 * while another one is being handled leaves it in the queue. So no thread blocks, no lock is held,
 * and an event posted by a handler does not deepen the stack. {@link #post} and {@link #release}
 * may be called by any thread; everything else runs in a handler.
 */
final class EnsembleRun {
  private static final System.Logger LOG = System.getLogger(EnsembleRun.class.getName());

  /** What has happened to the request or to one of its steps' requests. */
  sealed interface Event {
    /** The request has arrived. */
    record Started() implements Event {}

    /** A step's request that waited has got a permit. */
    record Admitted(StepRequest request) implements Event {}

    /**
     * A step's request has a response.
     *
     * @param last whether the request has also ended
     */
    record Arrived(StepRequest request, InferenceResponse response, boolean last)
        implements Event {}

    /** A step's request has ended after its last response. */
    record Completed(StepRequest request) implements Event {}

    /** A step's request has failed, was rejected or was cancelled. */
    record Failed(StepRequest request, InferenceException failure) implements Event {}

    /** The ensemble's request was cancelled. */
    record Cancelled() implements Event {}
  }

  private final EnsembleScheduler.Shared ensemble;
  private final EnsemblePlan plan;
  private final List<CalledModel> models;
  private final PendingRequest outer;

  /** The request and the models; held by this object and by each of the steps' requests. */
  private final SharedLease hold;

  private final Queue<Event> events = new ConcurrentLinkedQueue<>();

  /** Events posted and not handled yet; the thread that raises it from 0 handles them. */
  private final AtomicInteger unhandled = new AtomicInteger();

  private final StepRequests requests;
  private final TensorValues values;
  private final BackPressure backPressure;
  private final EnsembleResponses responses;

  /** By step: how many responses a decoupled model has sent. */
  private final int[] arrived;

  private ComputeTimes times = ComputeTimes.NONE;
  private @Nullable InferenceException failure;
  private boolean finished;

  /**
   * @param models the models of the graph, entered; left when the run ends
   * @param outer the ensemble's request; taken
   */
  EnsembleRun(
      EnsembleScheduler.Shared ensemble,
      EnsemblePlan plan,
      List<CalledModel> models,
      PendingRequest outer) {
    this.ensemble = ensemble;
    this.plan = plan;
    this.models = models;
    this.outer = outer;
    this.hold =
        new SharedLease(() -> {
          outer.close();
          models.forEach(CalledModel::leave);
        });
    this.requests = new StepRequests(ensemble.limiters());
    this.backPressure = new BackPressure(outer.request().id(), plan, models, ensemble.isLimited());
    this.values = new TensorValues(plan, ensemble.graph().tensors().size());
    this.responses =
        new EnsembleResponses(ensemble.signature(), plan, outer, values, ensemble.statistics());
    this.arrived = new int[ensemble.graph().steps().size()];
  }

  /** The arrival time of a step's request. */
  long nanos() {
    return ensemble.clock().nanos();
  }

  /** The ensemble's request, which those of steps are a part of. */
  PendingRequest outer() {
    return outer;
  }

  void start() {
    outer.promise().onCancel(() -> post(new Event.Cancelled()));
    post(new Event.Started());
  }

  BackPressure backPressure() {
    return backPressure;
  }

  /** Handles an event, or leaves it to the thread that is handling another. */
  void post(Event event) {
    events.add(event);
    if (unhandled.getAndIncrement() == 0) {
      do {
        handle(events.remove());
      } while (unhandled.decrementAndGet() > 0);
    }
  }

  /** One of the steps' requests uses the models and the ensemble's request no longer. */
  void release() {
    hold.release();
  }

  /** Never throws: the request must end, whatever fails. */
  private void handle(Event event) {
    guarded(() -> {
      react(event);
      responses.collect(!requests.isEmpty());
    });
    guarded(() -> {
      backPressure.update(requests.waitingSteps());
      if (event instanceof Event.Arrived(_, _, boolean last) && !last) {
        backPressure.handled();
      }
    });
    if (requests.isEmpty() && !finished) {
      finished = true;
      finish();
    }
  }

  /** Runs a part of the work; a failure becomes that of the request. Never throws. */
  private void guarded(Runnable part) {
    try {
      part.run();
    } catch (Throwable thrown) { // also an Error
      try {
        fail(UnexpectedFailures.of(LOG, what(), thrown));
      } catch (Throwable again) { // the steps that run still end
        failure = failure == null ? ensemble.signature().undescribed() : failure;
      }
    }
  }

  private void react(Event event) {
    switch (event) {
      case Event.Started() -> begin();
      case Event.Admitted(StepRequest request) -> requests.admitted(request, failure == null);
      case Event.Arrived(StepRequest request, InferenceResponse response, boolean last) -> {
        if (last) {
          end(request);
        }
        arrive(request, response);
      }
      case Event.Completed(StepRequest request) -> end(request);
      case Event.Failed(StepRequest request, InferenceException reason) -> {
        end(request);
        fail(reason);
      }
      case Event.Cancelled() -> cancel();
    }
  }

  private void begin() {
    if (failure != null) {
      return;
    }
    var memory = new SharedLease(() -> Lease.closeAll(outer.takeLeases()));
    try {
      ensemble.signature().put(outer, values, memory);
    } finally {
      memory.release();
    }
    proceed(ensemble.signature().inputs(), 0);
  }

  private void end(StepRequest request) {
    requests.ended(request);
    times = times.plus(request.computeTimes());
  }

  /** Adds the outputs of a response to the values, and starts the steps that they complete. */
  private void arrive(StepRequest request, InferenceResponse response) {
    if (failure != null) {
      response.close();
      return;
    }
    EnsembleStep step = request.step();
    int iteration;
    SharedLease memory;
    try {
      boolean decoupled = request.model().config().decoupled();
      iteration = decoupled ? arrived[step.index()]++ : request.iteration();
      memory = new SharedLease(response::close);
    } catch (Throwable noMemory) {
      response.close();
      throw noMemory;
    }
    try {
      SequenceMark mark = request.mark().changedBy(response.parameters());
      for (Mapping output : step.outputs()) {
        Tensor tensor = response.output(output.name()).orElse(null);
        values.put(output.tensor(), iteration, tensor, memory, request.batchRows(), mark);
      }
    } finally {
      memory.release();
    }
    proceed(step.targets(), iteration);
  }

  /** Starts the steps that read these tensors and have all inputs of the iteration. */
  private void proceed(List<Integer> tensors, int iteration) {
    var readers = new BitSet();
    for (int tensor : tensors) {
      for (EnsembleStep reader : plan.readers(tensor)) {
        readers.set(reader.index());
      }
    }
    for (int i = readers.nextSetBit(0); i >= 0; i = readers.nextSetBit(i + 1)) {
      EnsembleStep step = ensemble.graph().steps().get(i);
      if (values.hasAll(step.sources(), iteration)) {
        CalledModel model = models.get(step.model());
        var request = new StepRequest(this, step, iteration, model, outer.request(), values);
        hold.retain();
        requests.begin(request);
      }
    }
  }

  private void cancel() {
    if (!finished) {
      stop(InferenceException.cancelled());
      requests.cancel();
    }
  }

  private void fail(InferenceException reason) {
    stop(ensemble.signature().inEnsemble(reason));
  }

  /** Starts no further step. The first reason becomes the failure. */
  private void stop(InferenceException reason) {
    if (failure == null) {
      failure = reason;
      requests.withdraw();
    }
  }

  /** Releases all memory, then passes on the outcome: its receiver finds the memory free. */
  private void finish() {
    guarded(() -> {
      if (failure == null && !responses.areComplete()) {
        fail(
            InferenceException.invalid(
                RequestErrors.prefix(outer.request().id())
                    + "unexpected deadlock, at least one output is not set while no more ensemble"
                    + " steps can be made"));
      }
    });
    guarded(this::count);
    guarded(values::clear);
    guarded(hold::release);
    guarded(() -> responses.end(failure));
  }

  private void count() {
    if (failure == null) {
      ensemble.statistics().succeeded(outer, times);
    } else {
      ensemble.statistics().failed(outer);
    }
    // for an ensemble that has this one as a step, and the access log; only steps wait
    outer.promise().computed(0, times.inputNanos(), times.inferNanos(), times.outputNanos());
  }

  /** What failed, for the log. */
  private String what() {
    return RequestErrors.prefix(outer.request().id())
        + "a request for ensemble '"
        + ensemble.signature().name()
        + "'";
  }
}
