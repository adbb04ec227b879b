package io.nereid.tck.scheduler;

import static io.nereid.tck.scheduler.Defect.ANSWERS_OUT_OF_ORDER;
import static io.nereid.tck.scheduler.Defect.ANSWERS_TWICE;
import static io.nereid.tck.scheduler.Defect.BELIEVES_THE_REQUEST;
import static io.nereid.tck.scheduler.Defect.COUNTS_NO_REASONS;
import static io.nereid.tck.scheduler.Defect.COUNTS_REFUSED_REQUESTS;
import static io.nereid.tck.scheduler.Defect.COUNTS_REQUESTS_AS_ROWS;
import static io.nereid.tck.scheduler.Defect.DEALS_REQUESTS_OUT;
import static io.nereid.tck.scheduler.Defect.DELAYS_NOTHING;
import static io.nereid.tck.scheduler.Defect.HAS_ONE_POLICY;
import static io.nereid.tck.scheduler.Defect.HAS_ROOM_FOR_ALL;
import static io.nereid.tck.scheduler.Defect.IGNORES_LEVELS;
import static io.nereid.tck.scheduler.Defect.PUTS_STRANGERS_LAST;
import static io.nereid.tck.scheduler.Defect.REJECTS_IN_ORDER;
import static io.nereid.tck.scheduler.Defect.REJECTS_WHAT_IS_DELAYED;
import static io.nereid.tck.scheduler.Defect.REJECTS_WHEN_IDLE_ONLY;
import static io.nereid.tck.scheduler.Defect.RUNS_CANCELLED_REQUESTS;
import static io.nereid.tck.scheduler.Defect.RUNS_PASSIVE_INSTANCES;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.error.InferenceException;
import io.nereid.spi.BackendSettings;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.gate.GateBackend;
import io.nereid.tck.support.Answer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A model of a {@link PlainScheduler}, which guards it. */
final class PlainModel implements SchedulerModel {
  private static final long NEVER = Long.MAX_VALUE;

  private final PlainScheduler scheduler;
  private final PlainConfig config;
  private final Defect defect;
  private final PlainPolicy policy;
  private final Gate gate;
  private final Model model;
  private final List<PlainInstance> instances = new ArrayList<>();
  private final List<Waiting> queue = new ArrayList<>();

  /** The requests whose answers leave in this order. */
  private final List<Waiting> order = new ArrayList<>();

  /** Whether all instances are there. */
  private boolean open;

  private final Map<Statistics.Reason, Long> failures = new EnumMap<>(Statistics.Reason.class);
  private final Map<Long, Long> batches = new HashMap<>();
  private long successes;
  private long rowsOfSuccesses;
  private long submitted;
  private long delays;

  PlainModel(PlainScheduler scheduler, PlainConfig config, Defect defect) {
    this.scheduler = scheduler;
    this.config = config;
    this.defect = defect;
    this.policy = new PlainPolicy(config, defect);
    this.gate = Gate.of(config.model().name());
    var files = new ModelFiles(Path.of(config.model().name()), 1);
    this.model = new GateBackend().open(new BackendSettings(Map.of())).load(files, config.model());
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
  public TestAnswer submit(TestRequest request) {
    synchronized (scheduler) {
      var answer = new TestAnswer(config.model().name(), request);
      long level = level(request);
      boolean deals =
          defect == DEALS_REQUESTS_OUT && instances.stream().noneMatch(PlainInstance::passive);
      int instance = deals ? (int) (submitted++ % instances.size()) : -1;
      var waiting =
          new Waiting(
              config.model(),
              request,
              answer,
              level,
              scheduler.now(),
              deadline(request, level),
              instance);
      answer.onCancel(() -> cancel(waiting));
      long room = queuePolicy(level).maxQueueSize();
      long queued = queue.stream().filter(other -> other.level == level).count();
      if (room > 0 && queued >= room && defect != HAS_ROOM_FOR_ALL) {
        if (defect == COUNTS_REFUSED_REQUESTS) {
          failures.merge(Statistics.Reason.OTHER, 1L, Long::sum);
        }
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
      if (defect != RUNS_CANCELLED_REQUESTS && queue.remove(waiting)) {
        order.remove(waiting);
        count(Statistics.Reason.CANCELED);
        waiting.answer.fail(InferenceException.cancelled());
        decide();
      }
    }
  }

  private long level(TestRequest request) {
    if (config.batching().isEmpty() || defect == IGNORES_LEVELS) {
      return 0;
    }
    BatchingSettings batching = config.batching().get();
    long asked = request.options().priority();
    if (asked > batching.priorityLevels() && defect == PUTS_STRANGERS_LAST) {
      return batching.priorityLevels();
    }
    return asked == 0 || asked > batching.priorityLevels()
        ? batching.defaultPriorityLevel()
        : asked;
  }

  private QueuePolicy queuePolicy(long level) {
    return config
        .batching()
        .map(batching ->
            defect == HAS_ONE_POLICY ? batching.defaultQueuePolicy() : batching.queuePolicy(level))
        .orElse(QueuePolicy.NONE);
  }

  private long deadline(TestRequest request, long level) {
    QueuePolicy queuePolicy = queuePolicy(level);
    long micros = queuePolicy.defaultTimeoutMicros();
    long own = request.options().timeoutMicros();
    boolean shortens = queuePolicy.allowTimeoutOverride() && own > 0 && own < micros;
    if (shortens || (defect == BELIEVES_THE_REQUEST && own > 0)) {
      micros = own;
    }
    return micros == 0 ? NEVER : scheduler.now() + micros * 1000;
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

  /** Does all that is to be done now. */
  void decide() {
    if (defect != REJECTS_WHEN_IDLE_ONLY || instances.stream().anyMatch(PlainInstance::isIdle)) {
      expire();
    }
    queue.sort(
        Comparator.<Waiting>comparingLong(waiting -> waiting.level)
            .thenComparingLong(waiting -> waiting.delayed));
    for (PlainInstance instance : instances) {
      boolean active = !instance.passive() || defect == RUNS_PASSIVE_INSTANCES;
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
          queuePolicy(waiting.level).timeoutAction() == QueuePolicy.TimeoutAction.REJECT;
      if (rejects || defect == REJECTS_WHAT_IS_DELAYED) {
        queue.remove(waiting);
        reject(waiting);
      } else if (defect != DELAYS_NOTHING) {
        waiting.delayed = ++delays;
      }
    }
  }

  private void reject(Waiting waiting) {
    count(Statistics.Reason.REJECTED);
    Runnable answer =
        () -> waiting.answer.fail(InferenceException.unavailable("Request timeout expired"));
    if (defect == REJECTS_IN_ORDER) {
      waiting.words.add(answer);
      waiting.done = true;
      deliver();
    } else {
      order.remove(waiting);
      answer.run();
    }
  }

  /** Takes what an execution answered. */
  void executed(List<Waiting> batch, List<List<Answer>> answers) {
    long rows = batch.stream().mapToLong(each -> each.rows).sum();
    batches.merge(defect == COUNTS_REQUESTS_AS_ROWS ? batch.size() : rows, 1L, Long::sum);
    for (int i = 0; i < batch.size(); i++) {
      Waiting waiting = batch.get(i);
      for (Answer answer : answers.get(i)) {
        waiting.words.add(() -> say(waiting.answer, answer));
      }
      boolean failed = answers.get(i).stream().anyMatch(Answer.Failure.class::isInstance);
      if (failed) {
        count(Statistics.Reason.BACKEND);
      } else {
        successes++;
        rowsOfSuccesses += waiting.rows;
      }
      if (config.model().decoupled() && !failed) {
        waiting.words.add(waiting.answer::complete);
      }
      waiting.done = true;
      if (defect == ANSWERS_TWICE) {
        waiting.words.add(waiting.answer::complete);
      }
    }
    deliver();
  }

  private void count(Statistics.Reason reason) {
    boolean confused = defect == COUNTS_NO_REASONS;
    failures.merge(confused ? Statistics.Reason.OTHER : reason, 1L, Long::sum);
  }

  @Override
  public Statistics statistics() {
    synchronized (scheduler) {
      long executions = batches.values().stream().mapToLong(Long::longValue).sum();
      return new Statistics(successes, failures, rowsOfSuccesses, executions, batches);
    }
  }

  private void say(TestAnswer target, Answer answer) {
    switch (answer) {
      case Answer.Failure failure -> target.fail(failure.exception());
      case Answer.Outputs outputs when config.model().decoupled() -> target.next(outputs);
      case Answer.Outputs outputs -> target.answer(outputs);
    }
  }

  private void deliver() {
    boolean ordered =
        config.batching().filter(BatchingSettings::preserveOrdering).isPresent()
            && defect != ANSWERS_OUT_OF_ORDER;
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
