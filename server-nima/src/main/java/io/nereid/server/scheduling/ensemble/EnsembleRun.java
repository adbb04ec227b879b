package io.nereid.server.scheduling.ensemble;

import io.nereid.error.InferenceException;
import io.nereid.server.memory.Lease;
import io.nereid.server.memory.SharedLease;
import io.nereid.server.request.InferenceResponse;
import io.nereid.server.request.PendingRequest;
import io.nereid.server.request.RequestIds;
import io.nereid.server.scheduling.ensemble.graph.EnsemblePlan;
import io.nereid.server.scheduling.ensemble.graph.EnsembleStep;
import io.nereid.server.scheduling.ensemble.graph.EnsembleStep.Mapping;
import io.nereid.tensor.Tensor;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through an ensemble, carried on by {@link RunEvent}s. A step's request
 * starts as soon as its inputs are there. After the first failure none starts any more; the outcome
 * follows once the last one under way has ended.
 *
 * <p>{@link #post} and {@link #release} are for any thread; all else is handled by one at a time.
 */
final class EnsembleRun {
  private static final System.Logger LOG = System.getLogger(EnsembleRun.class.getName());

  private final Ensemble ensemble;
  private final EnsemblePlan plan;
  private final List<ComposingModel> models;
  private final PendingRequest outer;

  /** Held by this and by each of the steps' requests. */
  private final SharedLease hold;

  private final RunInbox inbox = new RunInbox(this::handle);
  private final StepRequests requests;
  private final TensorValues values;
  private final Pace pace;
  private final EnsembleResponses responses;

  /** By step: how many responses a decoupled one has sent. */
  private final int[] arrived;

  private ComputeTimes times = ComputeTimes.NONE;
  private @Nullable InferenceException failure;
  private boolean finished;

  /**
   * @param models those of the graph, entered; left here
   * @param outer the ensemble's request; taken
   */
  EnsembleRun(
      Ensemble ensemble, EnsemblePlan plan, List<ComposingModel> models, PendingRequest outer) {
    this.ensemble = ensemble;
    this.plan = plan;
    this.models = models;
    this.outer = outer;
    this.hold =
        new SharedLease(() -> {
          outer.close();
          models.forEach(ComposingModel::leave);
        });
    this.requests = new StepRequests(ensemble.limiters());
    this.pace = new Pace(plan, models, ensemble.isLimited());
    this.values = new TensorValues(plan, ensemble.graph().tensors().size());
    this.responses =
        new EnsembleResponses(ensemble.signature(), plan, outer, values, ensemble.statistics());
    this.arrived = new int[ensemble.graph().steps().size()];
  }

  /** The time at which a step's request comes to its model. */
  long nanos() {
    return ensemble.clock().nanos();
  }

  /** When nobody waits for the ensemble's answer any more. */
  long deadlineNanos() {
    return outer.deadlineNanos();
  }

  void start() {
    outer.promise().onCancel(() -> post(new RunEvent.Cancelled()));
    post(new RunEvent.Started());
  }

  /** How fast decoupled steps may go. */
  Pace pace() {
    return pace;
  }

  /** Takes an event. */
  void post(RunEvent event) {
    inbox.post(event);
  }

  /** One of the steps' requests needs neither the models nor the ensemble's request any more. */
  void release() {
    hold.release();
  }

  private void handle(RunEvent event) {
    try {
      react(event);
      responses.collect(!requests.isEmpty());
    } catch (InferenceException refused) {
      fail(refused);
    } catch (Throwable thrown) { // the request must come to its end, whatever happened
      fail(unexpected(thrown));
    }
    pace.look(requests);
    if (event instanceof RunEvent.Arrived(_, _, boolean last) && !last) {
      pace.handled();
    }
    if (requests.isEmpty() && !finished) {
      finished = true;
      finish();
    }
  }

  private void react(RunEvent event) {
    switch (event) {
      case RunEvent.Started() -> begin();
      case RunEvent.Admitted(StepRequest request) -> requests.admitted(request, failure == null);
      case RunEvent.Arrived(StepRequest request, InferenceResponse response, boolean last) -> {
        if (last) {
          end(request);
        }
        arrive(request, response);
      }
      case RunEvent.Completed(StepRequest request) -> end(request);
      case RunEvent.Failed(StepRequest request, InferenceException reason) -> {
        end(request);
        fail(reason);
      }
      case RunEvent.Cancelled() -> cancel();
    }
  }

  private void begin() {
    if (failure != null) {
      return;
    }
    List<Lease> leases = outer.takeLeases();
    var memory = new SharedLease(() -> leases.forEach(Lease::close));
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

  /** Takes the outputs of a response, as far as somebody wants them. */
  private void arrive(StepRequest request, InferenceResponse response) {
    if (failure != null) {
      response.close();
      return;
    }
    EnsembleStep step = request.step();
    boolean decoupled = request.model().config().decoupled();
    int iteration = decoupled ? arrived[step.index()]++ : request.iteration();
    var memory = new SharedLease(response::close);
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

  /** Starts the steps that these tensors were missing for. */
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
        ComposingModel model = models.get(step.model());
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

  /** From now on nothing starts. The first reason counts. */
  private void stop(InferenceException reason) {
    if (failure == null) {
      failure = reason;
      requests.withdraw();
    }
  }

  /** Gives all memory back, then the outcome: who has it finds the memory free again. */
  private void finish() {
    if (failure == null && !responses.areComplete()) {
      fail(
          InferenceException.invalid(
              RequestIds.prefix(outer.request().id())
                  + "unexpected deadlock, at least one output is not set while no more ensemble"
                  + " steps can be made"));
    }
    count();
    try {
      values.clear();
      hold.release();
    } catch (Throwable thrown) { // a bug of ours: the client wants its outcome all the same
      unexpected(thrown);
    }
    try {
      responses.end(failure);
    } catch (Throwable thrown) { // by whoever waits for the outcome, which is its own trouble
      unexpected(thrown);
    }
  }

  private void count() {
    if (failure == null) {
      ensemble.statistics().succeeded(outer, times);
    } else {
      ensemble.statistics().failed(outer);
    }
    // for the ensemble that this one may be a step of
    outer.promise().computed(times.inputNanos(), times.inferNanos(), times.outputNanos());
  }

  /** Logs a bug. */
  private InferenceException unexpected(Throwable thrown) {
    LOG.log(
        System.Logger.Level.ERROR,
        "a request for ensemble '" + ensemble.signature().name() + "' failed unexpectedly",
        thrown);
    return InferenceException.unexpected(thrown);
  }
}
