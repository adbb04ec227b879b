package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.execution.BrokenRule;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenBackend;
import io.nereid.tck.model.OpenModel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * What stays of models that were loaded and unloaded, and of batches that were executed. Usage is
 * measured before and after each of several equal parts: a leak grows from part to part, a cache or
 * a pool is full after the first. Other work in the process shows too, so these tests run alone.
 */
public abstract class LeakVerification extends BackendVerification {
  private static final int PARTS = 8;

  /** What a part may hold more than the one before: noise of the JVM, which compiles meanwhile. */
  private static final long HEAP_NOISE = 16 << 10;

  private static final long NATIVE_NOISE = 64 << 10;

  /** A leak of what can be counted grows in each of so many measurements. */
  private static final int COUNTS = 2;

  /** A leak of bytes, which the JVM takes too: its compilers megabytes by malloc. */
  private static final int MEASUREMENTS = 5;

  /** So many threads more are a leak, whatever follows. */
  private static final int MAX_THREADS = 500;

  private static final byte ZEROS = 0;

  /** The scopes of memory that the collector frees: it is open for as long as it can be used. */
  private static final Set<Class<?>> COLLECTED =
      Set.of(
          Arena.ofAuto().scope().getClass(), MemorySegment.ofArray(new byte[0]).scope().getClass());

  /** So that each batch has sequences of its own. */
  private long executed;

  /** How often the model is loaded and unloaded. */
  protected int loads() {
    return 1_000;
  }

  /** How many batches are executed. */
  protected int executions() {
    return 10_000;
  }

  /**
   * Something that the process holds.
   *
   * @param noise what a part may hold more than the one before
   * @param measurements in how many of them in turn a leak grows
   * @param each of what other processes add to as well: how many loads or batches a part has; or 0
   */
  record Held(
      String rule,
      String what,
      ToLongFunction<ProcessUsage> number,
      long noise,
      int measurements,
      long each) {
    /**
     * Whether it grows from part to part: by the median of the slopes between all parts, which also
     * sees what grows in leaps, if it ends higher than ever; or by that of the slopes between
     * neighbours, which one drop by much of what the compilers had does not hide.
     */
    boolean grows(List<ProcessUsage> usage) {
      return each > 0
          ? growsWithEach(usage)
          : (slope(usage, usage.size()) > noise && endsHigh(usage)) || slope(usage, 1) > noise;
    }

    /** Whether most parts add the same multiple of what they do: other processes do not. */
    private boolean growsWithEach(List<ProcessUsage> usage) {
      List<Long> added = new ArrayList<>();
      for (int i = 1; i < usage.size(); i++) {
        added.add(of(usage.get(i)) - of(usage.get(i - 1)));
      }
      added.sort(Long::compare);
      long median = added.get(added.size() / 2);
      return median > 0
          && median % each == 0
          && Collections.frequency(added, median) > added.size() * 2 / 3;
    }

    /** Whether the last third reaches what no part did before: what has only come back does not. */
    private boolean endsHigh(List<ProcessUsage> usage) {
      int third = usage.size() - usage.size() / 3;
      return highest(usage.subList(third, usage.size())) - highest(usage.subList(1, third)) > noise;
    }

    private long highest(List<ProcessUsage> usage) {
      return usage.stream().mapToLong(this::of).max().orElseThrow();
    }

    /** The median of the slopes between parts that are so far from each other, or less. */
    private long slope(List<ProcessUsage> usage, int distance) {
      List<Long> slopes = new ArrayList<>();
      for (int from = 1; from < usage.size(); from++) {
        for (int to = from + 1; to < usage.size() && to - from <= distance; to++) {
          slopes.add((of(usage.get(to)) - of(usage.get(from))) / (to - from));
        }
      }
      slopes.sort(Long::compare);
      return slopes.get(slopes.size() / 2);
    }

    long of(ProcessUsage usage) {
      return number.applyAsLong(usage);
    }
  }

  /**
   * All that a process holds, each with the rule that it must not grow.
   *
   * @param each how many loads or batches a part has
   * @param noise how many threads, open files or metrics a part may hold more than the one before
   */
  private static List<Held> held(String threads, String files, String bytes, int each, long noise) {
    return List.of(
        new Held(threads, "threads", ProcessUsage::threads, noise, COUNTS, 0),
        new Held(files, "open files", ProcessUsage::files, noise, COUNTS, 0),
        new Held(files, "stored files", ProcessUsage::storedFiles, 0, MEASUREMENTS, each),
        new Held(bytes, "metrics", ProcessUsage::metrics, noise, 1, 0),
        new Held(bytes, "bytes of the heap", ProcessUsage::heapBytes, HEAP_NOISE, MEASUREMENTS, 0),
        new Held(
            bytes, "bytes of malloc", ProcessUsage::nativeBytes, NATIVE_NOISE, MEASUREMENTS, 0));
  }

  @Rule({"BACKEND-LEAK-01", "BACKEND-LEAK-02", "BACKEND-LEAK-03"})
  void leavesNothingOfAModelThatIsUnloaded() {
    int each = Math.max(1, loads() / PARTS);
    try (var backend = openBackend()) {
      load(backend, Math.max(1, loads() / 10)); // what is made once
      requireFlat(
          backend,
          () -> load(backend, each),
          each + " loads",
          held("BACKEND-LEAK-01", "BACKEND-LEAK-02", "BACKEND-LEAK-03", each, each / 4));
    }
  }

  private void load(OpenBackend backend, int times) {
    for (int i = 0; i < times; i++) {
      try (var model = open(backend)) {
        model.run(List.of(request(model.config(), 1, 1))).requireSound();
      }
    }
  }

  @Rule({"BACKEND-LEAK-04", "BACKEND-LEAK-05"})
  void leavesNothingOfABatchThatIsOver() {
    int each = Math.max(1, executions() / PARTS);
    try (var model = open()) {
      execute(model, Math.max(1, executions() / 10));
      requireFlat(
          model.backend(),
          () -> execute(model, each),
          each + " batches",
          held("BACKEND-LEAK-04", "BACKEND-LEAK-04", "BACKEND-LEAK-05", each, each / 50));
    }
  }

  private void execute(OpenModel model, int times) {
    boolean sequences = model.config().sequence().isPresent(); // whose state goes with the end
    var requests = requests(model.config(), 2);
    var outputs = model.config().outputs();
    for (int i = 0; i < times; i++) {
      var all = sequences ? requests(model.config(), ++executed) : requests;
      int alone = i % (outputs.size() + 1); // each output, then all of them
      var wanted = alone < outputs.size() ? List.of(outputs.get(alone).name()) : List.<String>of();
      model
          .run(all.stream().map(request -> request.wanting(wanted)).toList())
          .found()
          .requireNone();
    }
  }

  /**
   * Runs parts; again if a number seems to grow, which may be the JVM's own work.
   *
   * @param content what a part does, for messages
   */
  private static void requireFlat(
      OpenBackend backend, Runnable part, String content, List<Held> held) {
    List<Held> growing = held;
    for (int times = 1; !growing.isEmpty(); times++) {
      List<ProcessUsage> usage = new ArrayList<>(List.of(ProcessUsage.now(backend)));
      for (int i = 0; i < PARTS; i++) {
        part.run();
        usage.add(ProcessUsage.now(backend));
        long threads = usage.getLast().threads() - usage.getFirst().threads();
        if (threads > MAX_THREADS) { // more of them would end the process
          throw new BrokenRule(
              held.getFirst().rule(),
              "%d threads are left of %d times %s".formatted(threads, i + 1, content));
        }
      }
      growing = growing.stream().filter(each -> each.grows(usage)).toList();
      for (Held each : growing) {
        if (times == each.measurements()) {
          throw new BrokenRule(
              each.rule(),
              "%s grow, by about %d in each part of %s: %s"
                  .formatted(
                      each.what(),
                      each.slope(usage, usage.size()),
                      content,
                      usage.stream().map(each::of).toList()));
        }
      }
    }
  }

  @Rule("BACKEND-LEAK-06")
  void freesTheMemoryThatItGaveOnceItIsReleased() {
    try (var model = open()) {
      int times = Math.max(20, executions() / 50);
      var requests = requests(model.config(), 3);
      Set<Long> addresses = new HashSet<>();
      List<MemorySegment.Scope> scopes = new ArrayList<>();
      int given = 0;
      for (int i = 0; i < times; i++) {
        try (var batch = new TestBatch(model.config()).addAll(requests);
            var held = model.hold(batch, ZEROS)) {
          for (MemorySegment segment : held.given()) {
            given++;
            var scope = segment.scope();
            if (addresses.add(segment.address()) && !COLLECTED.contains(scope.getClass())) {
              scopes.add(scope);
            }
          }
          model.release(held);
        }
      }
      long open = scopes.stream().filter(MemorySegment.Scope::isAlive).count();
      assertThat(open)
          .as("segments that are open after their release, of %d that were given", given)
          .isLessThanOrEqualTo(Math.max(8, given / 2));
    }
  }
}
