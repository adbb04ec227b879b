package io.nereid.text;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Batch;
import io.nereid.spi.CallResponse;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.OwnCalls;
import io.nereid.spi.Results;
import io.nereid.text.TextRows.Row;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * An instance. It tokenises the texts of a batch, has the graph run rows of about the same length
 * together, and writes what the task makes of each row's output. A request whose texts or
 * parameters are wrong fails alone.
 *
 * <p>A request with more rows than the graph runs at once is detached. A thread of its own asks for
 * short runs, one for each instance of the graph at a time, so that runs for other requests come in
 * between, and the instance takes the next batch.
 */
final class TextInstance implements ModelInstance {
  private static final System.Logger LOG = System.getLogger(TextInstance.class.getName());

  /** Of a session; the limits of the graph's queue, and cancellation, end runs earlier. */
  private static final Duration AT_MOST = Duration.ofHours(1);

  /** Rows of a long request that are tokenised at a time, in runs: what is sorted by length. */
  private static final int RUNS_AHEAD = 8;

  private final TextModel model;
  private final RunLimits limits;
  private final RunLimits limitsOfLong;
  private final ExecutorService threads;

  /**
   * @param settings its threads have its name
   */
  TextInstance(TextModel model, InstanceSettings settings) {
    this.model = model;
    limits = RunLimits.of(model.config(), settings.kind());
    limitsOfLong = RunLimits.ofLong(model.config(), settings.kind());
    threads =
        Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("texts " + settings.name() + " ", 1).factory());
  }

  @Override
  public void execute(Batch batch, Results results) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      if (batch.isPadding(i) || batch.isCancelled(i)) {
        continue;
      }
      if (batch.request(i).rows(model.config()) > limits.texts() * 2L) {
        answerLater(results.detach(i));
        continue;
      }
      try {
        var request = new TextRows(model, new TextRequest.OfBatch(batch, results, i));
        rows.addAll(request.encode(0, request.count()));
      } catch (InferenceException wrong) {
        results.fail(i, named(wrong));
      }
    }
    if (rows.isEmpty()) {
      return;
    }
    results.computeStarted();
    if (batch.size() == 1) {
      run(rows, new GraphRuns(model.graph(), batch.calls(0)), batch::isCancelled);
    } else {
      runForAll(rows, batch);
    }
    results.computeEnded();
  }

  /** What is run for several requests is not called on behalf of one, with which it would end. */
  private void runForAll(List<Row> rows, Batch batch) {
    try (OwnCalls.Session session = model.calls().begin(AT_MOST)) {
      var runs = new GraphRuns(model.graph(), session);
      batch.onCancel(runs::cancel);
      run(rows, runs, batch::isCancelled);
    }
  }

  private void run(List<Row> rows, GraphRuns runs, BooleanSupplier isCancelled) {
    for (List<Row> run : limits.runs(rows, Row::length)) {
      if (isCancelled.getAsBoolean()) {
        throw InferenceException.cancelled();
      }
      write(runs.begin(run));
    }
  }

  private void write(GraphRuns.Run run) {
    try (CallResponse response = run.await()) {
      TextRows.write(model, response.output(model.graph().output()), run.rows());
      model.metrics().ran(run.rows());
    }
  }

  private void answerLater(DetachedRequest request) {
    try {
      threads.execute(() -> answer(request));
    } catch (Throwable noThread) { // no memory for one more
      fail(request, noThread);
    }
  }

  /** Answers a long request. */
  private void answer(DetachedRequest detached) {
    try {
      var request = new TextRows(model, new TextRequest.Later(detached));
      var runs = new GraphRuns(model.graph(), detached.calls());
      int ahead = limits.texts() * RUNS_AHEAD;
      for (int from = 0; from < request.count(); from += ahead) {
        int end = Math.min(request.count(), from + ahead);
        runTogether(request.encode(from, end), runs, detached::isCancelled);
      }
      detached.send();
    } catch (Throwable thrown) { // the request needs an end
      fail(detached, thrown);
    }
  }

  private void fail(DetachedRequest detached, Throwable thrown) {
    detached.fail(
        InferenceException.of(thrown).map(this::named).orElseGet(() -> unexpected(thrown)));
  }

  /** Has as many runs under way as the graph has instances. */
  private void runTogether(List<Row> rows, GraphRuns runs, BooleanSupplier isCancelled) {
    Deque<GraphRuns.Run> begun = new ArrayDeque<>();
    try {
      for (List<Row> run : limitsOfLong.runs(rows, Row::length)) {
        if (isCancelled.getAsBoolean()) {
          throw InferenceException.cancelled();
        }
        begun.add(runs.begin(run));
        if (begun.size() == TextBackend.INSTANCES) {
          write(begun.remove());
        }
      }
      while (!begun.isEmpty()) {
        write(begun.remove());
      }
    } finally {
      begun.forEach(GraphRuns.Run::cancel);
    }
  }

  private InferenceException unexpected(Throwable bug) {
    LOG.log(Level.ERROR, "model '" + model.config().name() + "' failed unexpectedly", bug);
    return InferenceException.unexpected(bug);
  }

  private InferenceException named(InferenceException failed) {
    String message = String.valueOf(failed.getMessage());
    return failed.code() == StatusCode.CANCELLED || message.startsWith("model '")
        ? failed
        : new InferenceException(
            failed.code(), "model '%s': %s".formatted(model.config().name(), message), failed);
  }

  /** All requests have ended. */
  @Override
  public void close() {
    threads.close();
  }
}
