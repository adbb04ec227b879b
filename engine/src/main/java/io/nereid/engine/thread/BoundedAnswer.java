package io.nereid.engine.thread;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a question that only foreign code can answer. It is asked on a daemon thread of its
 * own, one at a time, so that a caller waits for a moment at most: while there is no answer, the
 * last one counts, and after a second the one for a question that is late. Thread-safe.
 *
 * @param <T> of answers
 */
public final class BoundedAnswer<T> {
  private static final System.Logger LOG = System.getLogger(BoundedAnswer.class.getName());

  /** The longest that a caller waits. */
  private static final Duration MOMENT = Duration.ofMillis(50);

  private static final Duration LATE = Duration.ofSeconds(1);

  /** A question that was asked, and its answer. */
  private final class Asked {
    private final long since = clock.getAsLong();
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private volatile boolean logged;

    private void run() {
      T value = failed;
      try {
        value = question.get();
      } catch (Throwable thrown) { // also an Error: others wait for the answer
        guard.failed(thrown);
      }
      last = value;
      asked.set(null);
      answer.complete(value);
    }

    private boolean isLate() {
      boolean isLate = clock.getAsLong() - since >= LATE.toNanos();
      if (isLate && !logged) {
        logged = true;
        LOG.log(Level.WARNING, "{0} is not answered for {1} s", name, LATE.toSeconds());
      }
      return isLate;
    }
  }

  private final String name;
  private final Supplier<T> question;
  private final T failed;
  private final @Nullable T late;
  private final LongSupplier clock;
  private final ThreadGuard guard;
  private final AtomicReference<@Nullable Asked> asked = new AtomicReference<>();
  private volatile T last;

  /**
   * @param name of the question, for the thread and the log
   * @param first the answer until there is another one
   * @param failed the answer if the question throws, which is logged once a minute at most
   * @param late the answer once it takes a second or more; null for the last one
   * @param clock nanoseconds
   */
  public BoundedAnswer(
      String name, Supplier<T> question, T first, T failed, @Nullable T late, LongSupplier clock) {
    this.name = name;
    this.question = question;
    this.last = first;
    this.failed = failed;
    this.late = late;
    this.clock = clock;
    this.guard = new ThreadGuard(name);
  }

  /** The answer; asks anew unless a question is under way. Does not throw. */
  public T get() {
    Asked present = asked.get();
    if (present == null) {
      var mine = new Asked();
      present = asked.compareAndExchange(null, mine);
      if (present == null) {
        present = mine;
        start(mine);
      }
    }
    if (!present.isLate()) {
      try {
        return present.answer.get(MOMENT.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException notYet) {
        return last;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return last;
      } catch (ExecutionException impossible) {
        throw new IllegalStateException(impossible);
      }
    }
    return late == null ? last : late;
  }

  private void start(Asked mine) {
    try {
      Thread.ofPlatform().daemon().name(name).start(mine::run);
    } catch (Throwable noThread) { // also an Error; the next caller asks again
      guard.failed(noThread);
      asked.set(null);
      mine.answer.complete(last);
    }
  }
}
