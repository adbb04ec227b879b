package io.nereid.engine.scheduling.ensemble;

import io.nereid.engine.call.CalledModel;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.engine.scheduling.ensemble.EnsembleRun.Event;
import io.nereid.engine.scheduling.ensemble.EnsembleStatistics.ComputeTimes;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleStep;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleStep.Mapping;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * One request of one step, from when its inputs are complete until its last response. It is the
 * receiver of the model's responses, which become events of the {@link EnsembleRun}.
 */
final class StepRequest implements ResponseReceiver {
  private static final System.Logger LOG = System.getLogger(StepRequest.class.getName());

  private final EnsembleRun run;
  private final EnsembleStep step;
  private final int iteration;
  private final CalledModel model;
  private final SequenceMark mark;
  private final List<Runnable> releases;
  private final InferenceRequest request;
  private final ResponsePromise promise = new ResponsePromise(this);

  /** How long the model took; set before the outcome. */
  private volatile ComputeTimes computeTimes = ComputeTimes.NONE;

  /**
   * Takes the step's inputs out of {@code values}.
   *
   * @param outer the ensemble's request, whose id and options this request gets
   */
  StepRequest(
      EnsembleRun run,
      EnsembleStep step,
      int iteration,
      CalledModel model,
      InferenceRequest outer,
      TensorValues values) {
    this.run = run;
    this.step = step;
    this.iteration = iteration;
    this.model = model;
    this.mark = mark(step, iteration, outer, values);
    this.request =
        new InferenceRequest(
            model.key(),
            outer.id(),
            inputs(step, iteration, model, values),
            step.outputNames(),
            mark.applyTo(outer.options()));
    this.releases = values.take(step.sources(), iteration);
  }

  private static SequenceMark mark(
      EnsembleStep step, int iteration, InferenceRequest outer, TensorValues values) {
    SequenceMark mark = null;
    for (int source : step.sources()) {
      SequenceMark found = values.get(source, iteration).mark();
      if (mark == null) {
        mark = found;
      } else if (found != null && !found.equals(mark)) {
        LOG.log(
            System.Logger.Level.WARNING,
            "{0}inputs of a step of ensemble ''{1}'' belong to {2} and to {3}; the first is used",
            RequestErrors.prefix(outer.id()),
            outer.model().name(),
            mark,
            found);
      }
    }
    return mark == null ? SequenceMark.of(outer.options()) : mark;
  }

  private static List<Tensor> inputs(
      EnsembleStep step, int iteration, CalledModel model, TensorValues values) {
    var inputs = new ArrayList<Tensor>(step.inputs().size());
    for (Mapping input : step.inputs()) {
      TensorValue value = values.get(input.tensor(), iteration);
      Tensor tensor = value.tensor();
      if (tensor != null) {
        Shape shape =
            model
                .config()
                .input(input.name())
                .map(declared -> value.shapeFor(tensor, declared.dims(), model.config().batches()))
                .orElse(tensor.shape());
        inputs.add(new Tensor(input.name(), tensor.dataType(), shape, tensor.data()));
      }
    }
    return inputs;
  }

  EnsembleStep step() {
    return step;
  }

  int iteration() {
    return iteration;
  }

  CalledModel model() {
    return model;
  }

  /** The sequence that the request belongs to. */
  SequenceMark mark() {
    return mark;
  }

  /** The rows of a batch in each output; 0 if the model does not batch. */
  long batchRows() {
    return model.config().batches() ? rows() : 0;
  }

  /** How long the model took; valid once the request has ended. */
  ComputeTimes computeTimes() {
    return computeTimes;
  }

  /** The request as its model gets it; it calls {@link #release}. */
  PendingRequest pending() {
    PendingRequest outer = run.outer();
    return outer.child(request, rows(), this::release, promise, run.nanos(), outer.deadlineNanos());
  }

  private long rows() {
    return request.rows(model.config());
  }

  /** The request has got a permit of its step. */
  void admitted() {
    run.post(new Event.Admitted(this));
  }

  void cancel() {
    promise.cancel();
  }

  /** Releases the inputs, which are not read any more. Called once. */
  void release() {
    try {
      InferenceResponse.release(releases);
    } finally {
      run.release();
    }
  }

  @Override
  public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
    computeTimes = new ComputeTimes(inputNanos, inferNanos, outputNanos);
  }

  @Override
  public void next(InferenceResponse response) {
    run.backPressure().sent();
    run.post(new Event.Arrived(this, response, false));
  }

  @Override
  public void awaitRoom() {
    run.backPressure().await(step);
  }

  @Override
  public void answer(InferenceResponse response) {
    run.post(new Event.Arrived(this, response, true));
  }

  @Override
  public void complete() {
    run.post(new Event.Completed(this));
  }

  @Override
  public void fail(InferenceException failure) {
    run.post(new Event.Failed(this, failure));
  }
}
