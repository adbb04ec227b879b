package io.nereid.server.execution;

import io.nereid.config.ModelConfig;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.request.PendingRequest;
import io.nereid.server.request.RecordedOutcome;
import io.nereid.server.request.ResponsePromise;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A request made for a test, with what becomes of it.
 *
 * @param ended how often it was closed
 */
record TestRequest(PendingRequest pending, RecordedOutcome outcome, AtomicInteger ended) {
  /** A request that asks for OUT. */
  static TestRequest of(CheckedBufferPool pool, String id, long rows, Tensor... inputs) {
    return of(pool, id, rows, List.of("OUT"), inputs);
  }

  /** A batch of these requests, which executes. */
  static RequestBatch batch(
      ModelConfig config, List<TestRequest> requests, GatherBuffers gatherBuffers) {
    List<PendingRequest> pending = requests.stream().map(TestRequest::pending).toList();
    var batch = new RequestBatch(config, pending, gatherBuffers, null);
    batch.begin();
    return batch;
  }

  /** The results of a batch of these requests, which executes. */
  static BatchResults results(
      ModelConfig config, List<PendingRequest> requests, CheckedBufferPool pool) {
    var batch = new RequestBatch(config, requests, new GatherBuffers(pool), null);
    batch.begin();
    return results(config, batch, pool, null);
  }

  /** The results of a batch that executes. */
  static BatchResults results(
      ModelConfig config,
      RequestBatch batch,
      CheckedBufferPool pool,
      @Nullable SequenceTensors sequences) {
    var results = new BatchResults(config, batch, pool, Meters.idle(), sequences);
    results.begin();
    return results;
  }

  static TestRequest of(
      CheckedBufferPool pool, String id, long rows, List<String> outputs, Tensor... inputs) {
    return of(pool, id, rows, outputs, Long.MAX_VALUE, inputs);
  }

  /** A request that nobody waits for any more from {@code deadlineNanos} on. */
  static TestRequest dueBy(CheckedBufferPool pool, long deadlineNanos) {
    return of(pool, "due", 1, List.of("OUT"), deadlineNanos);
  }

  private static TestRequest of(
      CheckedBufferPool pool,
      String id,
      long rows,
      List<String> outputs,
      long deadlineNanos,
      Tensor... inputs) {
    var outcome = new RecordedOutcome();
    var ended = new AtomicInteger();
    var request =
        new InferenceRequest(
            new ModelKey("m", 1), id, List.of(inputs), outputs, RequestOptions.NONE);
    var pending =
        new PendingRequest(
            request,
            rows,
            List.of(pool.lease(1)),
            ended::incrementAndGet,
            new ResponsePromise(outcome),
            0,
            deadlineNanos);
    return new TestRequest(pending, outcome, ended);
  }
}
