package io.nereid.engine.model.control.operation;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.scheduling.Clock;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
 * left behind, and the next call gets its place. The calls of a client are at most its share of the
 * places, with those that it has left behind. Thread-safe.
 */
public final class BackendThreads {
  private static final System.Logger LOG = System.getLogger(BackendThreads.class.getName());

  /** The longest that a call may take once the server stops. */
  private static final Duration MAX_STOP = Duration.ofSeconds(5);

  private final String name;
  private final int places;
  private final Clock clock;
  private final LoadLimits limits;
  private final Deque<Call<?>> waiting = new ArrayDeque<>();
  private final Set<Call<?>> running = new HashSet<>();
  private final BitSet taken = new BitSet();
  private final Map<ClientKey, ClientCalls> clients = new HashMap<>();
  private boolean refusing;
  private boolean stopping;

  /** The calls of a client whose threads have not ended. */
  private static final class ClientCalls {
    int running;
    int leftBehind;
  }

  /**
   * @param name that of a thread, without its number
   * @param places how many calls run at the same time
   * @param limits of a call
   */
  public BackendThreads(String name, int places, LoadLimits limits, Clock clock) {
    this.name = name;
    this.places = places;
    this.limits = limits;
    this.clock = clock;
  }

  /** How many of the places a client may have. */
  public int share() {
    return Math.max(1, places / 2);
  }

  /**
   * Calls a backend, as soon as there is a place.
   *
   * @param client that asks for it; empty if none does
   * @param call told whether it is late by then
   * @param late why a call fails that is late; asked by a thread of the clock
   * @param returnedLate takes what a late call returns, on its thread
   */
  public <T> CompletableFuture<T> submit(
      Optional<ClientKey> client,
      Function<BooleanSupplier, T> call,
      Supplier<InferenceException> late,
      Consumer<? super T> returnedLate) {
    var submitted = new Call<>(client, call, late, returnedLate);
    synchronized (this) {
      waiting.add(submitted);
      startNext();
    }
    return submitted.result;
  }

  private synchronized void startNext() {
    Iterator<Call<?>> calls = waiting.iterator();
    while (calls.hasNext() && taken.cardinality() < places) {
      Call<?> next = calls.next();
      ClientCalls own = next.client.map(clients::get).orElse(null);
      if (refusing) {
        calls.remove();
        next.result.completeExceptionally(InferenceException.unavailable("Server exiting"));
      } else if (own != null && own.leftBehind >= share()) {
        calls.remove();
        next.result.completeExceptionally(leftBehind());
      } else if (own == null || own.running < share()) {
        calls.remove();
        next.start(taken.nextClearBit(0));
      }
    }
  }

  private InferenceException leftBehind() {
    return InferenceException.exhausted(
        "%d loads of the client have not ended in time, and its share is %d"
            .formatted(share(), share()));
  }

  /**
   * Checks that a call of a client could begin at some time.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED while those that it has left behind are its share
   */
  public synchronized void requirePlace(ClientKey client) {
    ClientCalls own = clients.get(client);
    if (own != null && own.leftBehind >= share()) {
      throw leftBehind();
    }
  }

  /** Fails the calls that wait for a place, and later ones. */
  public synchronized void refuse() {
    refusing = true;
    startNext();
  }

  /** Lets no call take more than five seconds from now on, since the server stops. */
  public synchronized void shortenLimit() {
    if (!stopping) {
      stopping = true;
      running.forEach(Call::setAlarm);
    }
  }

  /** The option by which a call is late. */
  String limitText(Optional<ClientKey> client) {
    return limits.text(client);
  }

  private Duration limit(Optional<ClientKey> client) {
    Duration limit = limits.of(client);
    boolean isShorter = !limit.isZero() && limit.compareTo(MAX_STOP) <= 0;
    return stopping && !isShorter ? MAX_STOP : limit;
  }

  private final class Call<T> {
    final CompletableFuture<T> result = new CompletableFuture<>();
    final Optional<ClientKey> client;
    private final Function<BooleanSupplier, T> call;
    private final Supplier<InferenceException> late;
    private final Consumer<? super T> returnedLate;
    private Clock.@Nullable Alarm alarm;
    private @Nullable Thread thread;
    private int place;
    private boolean isLeftBehind;

    Call(
        Optional<ClientKey> client,
        Function<BooleanSupplier, T> call,
        Supplier<InferenceException> late,
        Consumer<? super T> returnedLate) {
      this.client = client;
      this.call = call;
      this.late = late;
      this.returnedLate = returnedLate;
    }

    /** Starts the thread; the lock is held, as for the methods below. */
    void start(int newPlace) {
      place = newPlace;
      taken.set(place);
      running.add(this);
      client.ifPresent(key -> clients.computeIfAbsent(key, _ -> new ClientCalls()).running++);
      alarm = clock.alarm(this::expire);
      setAlarm();
      thread = Thread.ofPlatform().daemon().name(name + place).unstarted(this::run);
      try {
        thread.start();
      } catch (Throwable noThread) { // also an Error: those who submit it wait
        result.completeExceptionally(noThread);
        free();
        endOfClient();
      }
    }

    void setAlarm() {
      Duration limit = limit(client);
      if (!limit.isZero()) {
        Objects.requireNonNull(alarm).set(clock.nanos() + limit.toNanos());
      }
    }

    private void endOfClient() {
      client.ifPresent(key ->
          clients.computeIfPresent(
              key,
              (_, own) -> {
                own.leftBehind -= isLeftBehind ? 1 : 0;
                return --own.running == 0 ? null : own;
              }));
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
          endOfClient();
          startNext();
        }
      }
    }

    private void expire() {
      synchronized (BackendThreads.this) {
        if (!free()) {
          return; // it has returned
        }
        Thread left = Objects.requireNonNull(thread);
        left.setName(left.getName() + ", left behind");
        isLeftBehind = true;
        client.map(clients::get).ifPresent(own -> own.leftBehind++);
        if (result.completeExceptionally(late.get())) {
          left.interrupt();
        }
        startNext();
      }
    }
  }
}
