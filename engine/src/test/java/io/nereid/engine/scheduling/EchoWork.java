package io.nereid.engine.scheduling;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings;
import io.nereid.engine.execution.FakeModel;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Copies {@code IN} to {@code OUT}, each batch once {@link #gate} has a permit: as one output of
 * the batch if its rows are even in number, otherwise per request. A request whose id begins with
 * {@code fail} fails, with {@code throw} its whole batch fails, and with {@code again} it is
 * rescheduled once.
 */
final class EchoWork implements FakeModel.Work {
  /** The limit of each resource. */
  static final int RESOURCE_LIMIT = 3;

  /** A permit for each batch. */
  final Semaphore gate = new Semaphore(0);

  /** Violations seen: a request that ran twice, or resources held beyond their limit. */
  final Queue<String> violations = new ConcurrentLinkedQueue<>();

  private final Set<String> rescheduled = ConcurrentHashMap.newKeySet();
  private final Set<String> ran = ConcurrentHashMap.newKeySet();

  /** How much of each resource executions hold, by name. */
  private final Map<String, Long> held = new HashMap<>();

  /** Whether a request of that id has reached an instance. */
  boolean ran(String id) {
    return ran.contains(id);
  }

  @Override
  public void execute(InstanceSettings instance, Batch batch, Results results) {
    hold(instance, 1);
    gate.acquireUninterruptibly();
    try {
      execute(batch, results);
    } finally {
      hold(instance, -1);
    }
  }

  private synchronized void hold(InstanceSettings settings, int times) {
    for (RateLimiterSettings.Resource resource : settings.rateLimiter().resources()) {
      long now = held.merge(resource.name(), times * resource.count(), Long::sum);
      if (now > RESOURCE_LIMIT) {
        violations.add("%d of %s are held".formatted(now, resource.name()));
      }
    }
  }

  private void execute(Batch batch, Results results) {
    boolean thrown = false;
    boolean[] again = new boolean[batch.size()];
    for (int i = 0; i < batch.size(); i++) {
      String id = batch.request(i).id();
      again[i] = id.startsWith("again") && !batch.isPadding(i) && !ran(id);
      if (!batch.isPadding(i)) {
        thrown |= id.startsWith("throw");
        if (!ran.add(id) && !rescheduled.remove(id)) {
          violations.add(id + " runs twice");
        }
      }
    }
    if (thrown) {
      throw new InferenceException(StatusCode.INTERNAL, "thrown");
    }
    if (batch.rows() % 2 == 0) {
      Tensor all = batch.gathered("IN").orElseThrow();
      copy(all, results.allocateBatch("OUT", DataType.INT32, all.shape()));
    }
    for (int i = 0; i < batch.size(); i++) {
      if (batch.isPadding(i)) {
        continue;
      }
      if (batch.rows() % 2 != 0) {
        Tensor rows = batch.input(i, "IN").orElseThrow();
        copy(rows, results.allocate(i, "OUT", DataType.INT32, rows.shape(), rows.byteSize()));
      }
      if (again[i]) {
        rescheduled.add(batch.request(i).id());
        results.reschedule(i);
      } else if (batch.request(i).id().startsWith("fail")) {
        results.fail(i, new InferenceException(StatusCode.INTERNAL, "failed"));
      }
    }
  }

  private static void copy(Tensor from, MemorySegment to) {
    to.copyFrom(from.data());
  }
}
