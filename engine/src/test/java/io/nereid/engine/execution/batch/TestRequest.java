package io.nereid.engine.execution.batch;

import io.nereid.config.ModelConfig;
import io.nereid.engine.call.CallingModel;
import io.nereid.engine.execution.FakeModel;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A request of a test and its outcome.
 *
 * @param ended counts how often it was closed
 */
public record TestRequest(PendingRequest pending, RecordedOutcome outcome, AtomicInteger ended) {
  private static final ModelKey MODEL = new ModelKey("m", 1);

  /** The calls of a model that calls no other. */
  public static final CallingModel NO_CALLS = ExecutedModels.withoutCalls("m", () -> 0);

  /** A request for the output OUT. */
  public static TestRequest of(BufferPool pool, String id, long rows, Tensor... inputs) {
    return of(pool, id, rows, List.of("OUT"), inputs);
  }

  /** A request of one row with these options that asks for OUT. */
  public static TestRequest of(BufferPool pool, RequestOptions options, Tensor... inputs) {
    return of(pool, "r", 1, List.of("OUT"), Long.MAX_VALUE, options, inputs);
  }

  /** A model whose instances execute nothing. */
  public static ExecutedModel model(ModelConfig config, BufferPool pool) {
    var model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    return ExecutedModels.of(config, model, pool, () -> 0, TestStatistics.of(MODEL));
  }

  /** A batch of these requests that has begun. */
  public static RequestBatch batch(
      ModelConfig config, List<TestRequest> requests, GatherBuffers gatherBuffers) {
    var execution = new DispatchedBatch();
    requests.forEach(request -> execution.add(request.pending()));
    var batch =
        new RequestBatch(
            model(config, new CheckedBufferPool()), execution, gatherBuffers, null, false);
    batch.begin();
    return batch;
  }

  /** The results of a batch of these requests that has begun. */
  public static BatchResults results(
      ModelConfig config, List<PendingRequest> requests, BufferPool pool) {
    return results(model(config, pool), requests);
  }

  public static BatchResults results(ExecutedModel model, List<PendingRequest> requests) {
    var execution = new DispatchedBatch();
    requests.forEach(execution::add);
    var batch = new RequestBatch(model, execution, new GatherBuffers(model.pool()), null, false);
    batch.begin();
    return results(model, batch, null);
  }

  /** The results of a batch that has begun. */
  public static BatchResults results(
      ModelConfig config,
      RequestBatch batch,
      BufferPool pool,
      @Nullable SequenceTensors sequences) {
    return results(model(config, pool), batch, sequences);
  }

  private static BatchResults results(
      ExecutedModel model, RequestBatch batch, @Nullable SequenceTensors sequences) {
    var results = new BatchResults(model, batch, meter(), sequences, detached());
    results.begin();
    return results;
  }

  /** The detached requests of an instance, any number. */
  public static DetachedRequests detached() {
    var statistics = TestStatistics.of(MODEL);
    return new DetachedRequests(Integer.MAX_VALUE, statistics::detached, () -> {});
  }

  /** A meter whose clock stands still. */
  public static ExecutionMeter meter() {
    var statistics = TestStatistics.of(MODEL);
    return new ExecutionMeter(() -> 0, statistics.addInstance());
  }

  public static TestRequest of(
      BufferPool pool, String id, long rows, List<String> outputs, Tensor... inputs) {
    return of(pool, id, rows, outputs, Long.MAX_VALUE, RequestOptions.NONE, inputs);
  }

  /** A request with a deadline. */
  public static TestRequest dueBy(BufferPool pool, long deadlineNanos) {
    return of(pool, "due", 1, List.of("OUT"), deadlineNanos, RequestOptions.NONE);
  }

  private static TestRequest of(
      BufferPool pool,
      String id,
      long rows,
      List<String> outputs,
      long deadlineNanos,
      RequestOptions options,
      Tensor... inputs) {
    var outcome = new RecordedOutcome();
    var ended = new AtomicInteger();
    var request = new InferenceRequest(MODEL, id, List.of(inputs), outputs, options);
    var pending = pending(pool, request, rows, ended::incrementAndGet, outcome, deadlineNanos);
    return new TestRequest(pending, outcome, ended);
  }

  /** A request for the output OUT. */
  public static PendingRequest pending(
      BufferPool pool, String id, Runnable onEnd, ResponseReceiver receiver, Tensor... inputs) {
    var request =
        new InferenceRequest(MODEL, id, List.of(inputs), List.of("OUT"), RequestOptions.NONE);
    return pending(pool, request, 1, onEnd, receiver, Long.MAX_VALUE);
  }

  /** A request of one row. */
  public static PendingRequest pending(
      BufferPool pool, InferenceRequest request, ResponseReceiver receiver) {
    return pending(pool, request, 1, () -> {}, receiver, Long.MAX_VALUE);
  }

  private static PendingRequest pending(
      BufferPool pool,
      InferenceRequest request,
      long rows,
      Runnable onEnd,
      ResponseReceiver receiver,
      long deadlineNanos) {
    return new PendingRequest(
        request,
        rows,
        List.of(pool.lease(1)),
        onEnd,
        new ResponsePromise(receiver),
        0,
        deadlineNanos);
  }
}
