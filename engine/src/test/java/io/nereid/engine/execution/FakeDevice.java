package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * A model with pipelined instances on a device that the test moves on by hand: the device reads the
 * inputs of a batch, and completes it, when the test says so. Fails if a call of an instance breaks
 * the contract of {@link PipelinedInstance}.
 */
final class FakeDevice implements Model {
  /** The ids of the requests of each batch, as it is started. */
  final BlockingQueue<List<String>> started = new LinkedBlockingQueue<>();

  /** The same, as it is finished. */
  final BlockingQueue<List<String>> finished = new LinkedBlockingQueue<>();

  /** The batches that {@link ModelInstance#execute} was called with. */
  final AtomicInteger executed = new AtomicInteger();

  final AtomicInteger opened = new AtomicInteger();
  final AtomicInteger closed = new AtomicInteger();

  /** How often the instances were asked for their state. */
  final AtomicInteger asked = new AtomicInteger();

  private final int depth;
  private final Semaphore read = new Semaphore(0);
  private final Semaphore completed = new Semaphore(0);

  /** By the id of a batch's first request. */
  private final Map<String, RuntimeException> startFailures = new HashMap<>();

  private final Map<String, RuntimeException> finishFailures = new HashMap<>();
  private BiConsumer<Batch, Results> onStart = (_, _) -> {};
  private BiConsumer<Batch, Results> onFinish = (_, _) -> {};
  volatile boolean healthy = true;

  FakeDevice(int depth) {
    this.depth = depth;
  }

  /** Has instances run {@code action} in each start. Before the first batch. */
  FakeDevice onStart(BiConsumer<Batch, Results> action) {
    onStart = action;
    return this;
  }

  /** Has instances run {@code action} in each finish. Before the first batch. */
  FakeDevice onFinish(BiConsumer<Batch, Results> action) {
    onFinish = action;
    return this;
  }

  FakeDevice failingToStart(String id, RuntimeException failure) {
    startFailures.put(id, failure);
    return this;
  }

  FakeDevice failingToFinish(String id, RuntimeException failure) {
    finishFailures.put(id, failure);
    return this;
  }

  /** Lets the device read the inputs of so many more batches. */
  void read(int batches) {
    read.release(batches);
  }

  /** Lets the device complete so many more batches. */
  void complete(int batches) {
    completed.release(batches);
  }

  /** Lets everything pass, now and later. */
  void passAll() {
    read.release(10_000);
    completed.release(10_000);
  }

  List<String> awaitStarted() {
    return await(started);
  }

  List<String> awaitFinished() {
    return await(finished);
  }

  private static List<String> await(BlockingQueue<List<String>> batches) {
    try {
      List<String> next = batches.poll(60, TimeUnit.SECONDS);
      assertThat(next).isNotNull();
      return next;
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  /** Returns once an instance was asked for its state often enough to have noticed what is due. */
  void awaitAsked() {
    int before = asked.get();
    GroupUnderTest.await(() -> asked.get() >= before + 4);
  }

  @Override
  public ModelInstance open(InstanceSettings settings) {
    opened.incrementAndGet();
    return new Instance();
  }

  @Override
  public void close() {}

  private record Flight(List<String> ids, Batch batch, Results results) {}

  private final class Instance implements PipelinedInstance {
    private final Thread owner = Thread.currentThread();
    private final Queue<Flight> flights = new ArrayDeque<>();
    private boolean unread;

    private void require(boolean allowed, String what) {
      if (!allowed || !Thread.currentThread().equals(owner)) {
        throw new AssertionError(what + " with " + flights + " on " + Thread.currentThread());
      }
    }

    @Override
    public int depth() {
      return depth;
    }

    @Override
    public void execute(Batch batch, Results results) {
      require(flights.isEmpty(), "execute");
      executed.incrementAndGet();
      onStart.accept(batch, results);
      onFinish.accept(batch, results);
    }

    @Override
    public void start(Batch batch, Results results) {
      require(flights.size() < depth && !unread, "start");
      List<String> ids = new ArrayList<>();
      IntStream.range(0, batch.size()).forEach(i -> ids.add(batch.request(i).id()));
      RuntimeException failure = startFailures.get(ids.getFirst());
      if (failure != null) {
        started.add(ids);
        throw failure;
      }
      onStart.accept(batch, results);
      flights.add(new Flight(ids, batch, results));
      unread = true;
      started.add(ids);
    }

    @Override
    public boolean canStart() {
      asked.incrementAndGet();
      require(!flights.isEmpty() && flights.size() < depth, "canStart");
      if (unread && read.tryAcquire()) {
        unread = false;
      }
      return !unread;
    }

    @Override
    public boolean isFinished() {
      asked.incrementAndGet();
      require(!flights.isEmpty(), "isFinished");
      return completed.availablePermits() > 0;
    }

    @Override
    public void finish() {
      require(!flights.isEmpty(), "finish");
      completed.acquireUninterruptibly();
      Flight oldest = flights.remove();
      unread &= !flights.isEmpty(); // a device that has completed a batch has read it
      RuntimeException failure = finishFailures.get(oldest.ids().getFirst());
      finished.add(oldest.ids());
      if (failure != null) {
        throw failure;
      }
      onFinish.accept(oldest.batch(), oldest.results());
    }

    @Override
    public boolean isHealthy() {
      return healthy;
    }

    @Override
    public void close() {
      require(flights.isEmpty(), "close");
      closed.incrementAndGet();
    }
  }

  /** A failure for {@link #failingToStart} and {@link #failingToFinish}. */
  static InferenceException failure(String message) {
    return InferenceException.unavailable(message);
  }
}
