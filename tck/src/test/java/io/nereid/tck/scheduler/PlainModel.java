package io.nereid.tck.scheduler;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.error.InferenceException;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.TestContext;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.gate.GateBackend;
import io.nereid.tck.support.Outcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A model of a {@link PlainScheduler}, which guards it. */
final class PlainModel implements SchedulerModel {
  private static final long NEVER = Long.MAX_VALUE;

  private final PlainScheduler scheduler;
  private final PlainConfig config;
  private final Defect defect;
  private final PlainTerms terms;
  private final PlainPolicy policy;
  private final PlainCounts counts;
  private final Gate gate;
  private final Model model;
  private final List<PlainInstance> instances = new ArrayList<>();
  private final List<Waiting> queue = new ArrayList<>();

  /** The requests in the order of their responses. */
  private final List<Waiting> order = new ArrayList<>();

  /** Whether all instances are open. */
  private boolean open;

  private long submitted;
  private long delays;

  PlainModel(PlainScheduler scheduler, PlainConfig config, Defect defect) {
    this.scheduler = scheduler;
    this.config = config;
    this.defect = defect;
    this.terms = new PlainTerms(config, defect);
    this.policy = new PlainPolicy(config, defect);
    this.counts = new PlainCounts(defect);
    this.gate = Gate.of(config.model().name());
    var files = new ModelFiles(Path.of(config.model().name()), 1);
    this.model = new GateBackend().open(TestContext.of("gate")).load(files, config.model());
    for (var settings : config.instances()) {
      instances.add(new PlainInstance(this, model, config.model(), settings));
    }
    synchronized (scheduler) {
      open = true;
    }
  }

  boolean isOpen() {
    return open;
  }

  PlainScheduler scheduler() {
    return scheduler;
  }

  @Override
  public TestResponse submit(TestRequest request) {
    synchronized (scheduler) {
      var answer = new TestResponse(config.model().name(), request);
      long level = terms.level(request);
      boolean deals =
          defect == Defect.ASSIGNS_REQUESTS_TO_BUSY_INSTANCES
              && instances.stream().noneMatch(PlainInstance::passive);
      int instance = deals ? (int) (submitted++ % instances.size()) : -1;
      var waiting =
          new Waiting(
              config.model(),
              request,
              answer,
              level,
              scheduler.now(),
              terms.deadline(request, level, scheduler.now()),
              instance);
      answer.onCancel(() -> cancel(waiting));
      long room = terms.queuePolicy(level).maxQueueSize();
      long queued = queue.stream().filter(other -> other.level == level).count();
      if (room > 0 && queued >= room && defect != Defect.NEVER_REJECTS) {
        counts.rejected();
        answer.fail(InferenceException.unavailable("Exceeds maximum queue size"));
        return answer;
      }
      queue.add(waiting);
      order.add(waiting);
      decide();
      return answer;
    }
  }

  private void cancel(Waiting waiting) {
    synchronized (scheduler) {
      if (defect != Defect.RUNS_CANCELLED_REQUESTS && queue.remove(waiting)) {
        order.remove(waiting);
        counts.failure(Statistics.Reason.CANCELED);
        waiting.answer.fail(InferenceException.cancelled());
        decide();
      }
    }
  }

  /** When something is due next. */
  long due() {
    long delay = config.batching().map(BatchingSettings::maxQueueDelayMicros).orElse(0L) * 1000;
    long due = NEVER;
    for (Waiting waiting : queue) {
      if (waiting.delayed == 0 && waiting.deadline > scheduler.now()) {
        due = Math.min(due, waiting.deadline);
      }
      if (waiting.arrived + delay > scheduler.now()) {
        due = Math.min(due, waiting.arrived + delay);
      }
    }
    return due;
  }

  /** Performs everything that is due now. */
  void decide() {
    if (defect != Defect.REJECTS_WHEN_IDLE_ONLY
        || instances.stream().anyMatch(PlainInstance::isIdle)) {
      expire();
    }
    queue.sort(
        Comparator.<Waiting>comparingLong(waiting -> waiting.level)
            .thenComparingLong(waiting -> waiting.delayed));
    for (PlainInstance instance : instances) {
      boolean active = !instance.passive() || defect == Defect.RUNS_PASSIVE_INSTANCES;
      if (active && instance.isIdle()) {
        List<Waiting> mine =
            queue.stream()
                .filter(
                    waiting -> waiting.instance < 0 || instances.get(waiting.instance) == instance)
                .toList();
        List<Waiting> chosen = List.copyOf(policy.choose(mine, scheduler.now()));
        if (!chosen.isEmpty()) {
          queue.removeAll(chosen);
          instance.run(chosen);
        }
      }
    }
  }

  private void expire() {
    for (Waiting waiting : List.copyOf(queue)) {
      if (waiting.delayed != 0 || waiting.deadline > scheduler.now()) {
        continue;
      }
      boolean rejects =
          terms.queuePolicy(waiting.level).timeoutAction() == QueuePolicy.TimeoutAction.REJECT;
      if (rejects || defect == Defect.REJECTS_WHAT_IS_DELAYED) {
        queue.remove(waiting);
        reject(waiting);
      } else if (defect != Defect.DELAYS_NOTHING) {
        waiting.delayed = ++delays;
      }
    }
  }

  private void reject(Waiting waiting) {
    counts.failure(Statistics.Reason.REJECTED);
    Runnable answer =
        () -> waiting.answer.fail(InferenceException.unavailable("Request timeout expired"));
    if (defect == Defect.REJECTS_IN_ORDER) {
      waiting.words.add(answer);
      waiting.done = true;
      deliver();
    } else {
      order.remove(waiting);
      answer.run();
    }
  }

  /** Adds the responses of an execution. */
  void executed(List<Waiting> batch, List<List<Outcome>> answers) {
    counts.execution(batch);
    for (int i = 0; i < batch.size(); i++) {
      Waiting waiting = batch.get(i);
      for (Outcome answer : answers.get(i)) {
        waiting.words.add(() -> say(waiting.answer, answer));
      }
      boolean failed = answers.get(i).stream().anyMatch(Outcome.Failure.class::isInstance);
      if (failed) {
        counts.failure(Statistics.Reason.BACKEND);
      } else {
        counts.success(waiting);
      }
      if (config.model().decoupled() && !failed) {
        waiting.words.add(waiting.answer::complete);
      }
      waiting.done = true;
      if (defect == Defect.ANSWERS_TWICE) {
        waiting.words.add(waiting.answer::complete);
      }
    }
    deliver();
  }

  @Override
  public Statistics statistics() {
    synchronized (scheduler) {
      return counts.statistics();
    }
  }

  private void say(TestResponse target, Outcome answer) {
    switch (answer) {
      case Outcome.Failure failure -> target.fail(failure.exception());
      case Outcome.Outputs outputs when config.model().decoupled() -> target.next(outputs);
      case Outcome.Outputs outputs -> target.answer(outputs);
    }
  }

  private void deliver() {
    boolean ordered =
        config.batching().filter(BatchingSettings::preserveOrdering).isPresent()
            && defect != Defect.ANSWERS_OUT_OF_ORDER;
    for (Waiting waiting : List.copyOf(order)) {
      if (waiting.done) {
        waiting.words.forEach(Runnable::run);
        order.remove(waiting);
      } else if (ordered) {
        return;
      }
    }
  }

  /** Whether each instance is idle, or held by the gate. */
  boolean isSettled() {
    int held = gate.held().size();
    return held + instances.stream().filter(PlainInstance::isIdle).count() == instances.size();
  }

  void close() {
    instances.forEach(PlainInstance::close);
    model.close();
  }
}
