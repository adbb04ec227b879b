package io.nereid.engine.model.control;

import io.nereid.engine.scheduling.Clock;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads that call backends to load or to close models: one per call, so many at a time. A
 * call that does not return in time fails for those who wait for it; its thread is interrupted and
 * left behind, and the next call gets its place. Thread-safe.
 */
final class BackendThreads {
  private static final System.Logger LOG = System.getLogger(BackendThreads.class.getName());

  /** The longest that a call may take once the server stops. */
  private static final Duration MAX_STOP = Duration.ofSeconds(5);

  private final String name;
  private final int places;
  private final Clock clock;
  private Duration limit;
  private final Deque<Call<?>> waiting = new ArrayDeque<>();
  private final Set<Call<?>> running = new HashSet<>();
  private final BitSet taken = new BitSet();
  private boolean refusing;

  /**
   * @param name that of a thread, without its number
   * @param places how many calls run at the same time
   * @param limit of a call; zero for none
   */
  BackendThreads(String name, int places, Duration limit, Clock clock) {
    this.name = name;
    this.places = places;
    this.limit = limit;
    this.clock = clock;
  }

  /**
   * Calls a backend, as soon as there is a place.
   *
   * @param call told whether it is late by then
   * @param late why a call fails that is late; asked by a thread of the clock
   * @param returnedLate takes what a late call returns, on its thread
   */
  <T> CompletableFuture<T> submit(
      Function<BooleanSupplier, T> call,
      Supplier<InferenceException> late,
      Consumer<? super T> returnedLate) {
    var submitted = new Call<>(call, late, returnedLate);
    synchronized (this) {
      waiting.add(submitted);
      startNext();
    }
    return submitted.result;
  }

  private synchronized void startNext() {
    while (!waiting.isEmpty() && taken.cardinality() < places) {
      Call<?> next = waiting.remove();
      if (refusing) {
        next.result.completeExceptionally(InferenceException.unavailable("Server exiting"));
      } else {
        next.start(taken.nextClearBit(0));
      }
    }
  }

  /** Fails the calls that wait for a place, and later ones. */
  synchronized void refuse() {
    refusing = true;
    startNext();
  }

  /** Lets no call take more than five seconds from now on, since the server stops. */
  synchronized void shortenLimit() {
    if (limit.isZero() || limit.compareTo(MAX_STOP) > 0) {
      limit = MAX_STOP;
      running.forEach(Call::setAlarm);
    }
  }

  private final class Call<T> {
    final CompletableFuture<T> result = new CompletableFuture<>();
    private final Function<BooleanSupplier, T> call;
    private final Supplier<InferenceException> late;
    private final Consumer<? super T> returnedLate;
    private Clock.@Nullable Alarm alarm;
    private @Nullable Thread thread;
    private int place;

    Call(
        Function<BooleanSupplier, T> call,
        Supplier<InferenceException> late,
        Consumer<? super T> returnedLate) {
      this.call = call;
      this.late = late;
      this.returnedLate = returnedLate;
    }

    /** Starts the thread; the lock is held, as for the methods below. */
    void start(int newPlace) {
      place = newPlace;
      taken.set(place);
      running.add(this);
      alarm = clock.alarm(this::expire);
      setAlarm();
      thread = Thread.ofPlatform().daemon().name(name + place).unstarted(this::run);
      try {
        thread.start();
      } catch (Throwable noThread) { // also an Error: those who submit it wait
        result.completeExceptionally(noThread);
        free();
      }
    }

    void setAlarm() {
      if (!limit.isZero()) {
        Objects.requireNonNull(alarm).set(clock.nanos() + limit.toNanos());
      }
    }

    /** Frees the place; returns false if that was done before. */
    private boolean free() {
      boolean isFirst = running.remove(this);
      if (isFirst) {
        taken.clear(place);
        Objects.requireNonNull(alarm).close();
      }
      return isFirst;
    }

    private void run() {
      try {
        T value = call.apply(result::isDone);
        if (!result.complete(value)) {
          returnedLate.accept(value);
        }
      } catch (Throwable thrown) { // also an Error: those who submit it wait
        if (!result.completeExceptionally(thrown)) {
          LOG.log(Level.INFO, "{0} has ended late: {1}", name, thrown);
        }
      } finally {
        synchronized (BackendThreads.this) {
          free();
          startNext();
        }
      }
    }

    /** The call is late. */
    private void expire() {
      synchronized (BackendThreads.this) {
        if (!free()) {
          return; // it has returned
        }
        Thread left = Objects.requireNonNull(thread);
        left.setName(left.getName() + ", left behind");
        if (result.completeExceptionally(late.get())) {
          left.interrupt();
        }
        startNext();
      }
    }
  }
}
