package io.nereid.benchmarks.micro;

import com.lmax.disruptor.SequenceBarrier;
import io.nereid.engine.request.Ticket;
import io.nereid.request.RequestOptions;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Which thread should decide on batches: the one that publishes an event, a batcher thread, or the
 * idle instance? The score is the time from the submission of a request until its sender has the
 * response, with a model that does nothing. Ring, policy and instance are the same in all variants.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class HandOffBenchmark {
  /** A running variant. */
  @State(Scope.Benchmark)
  public static class Variant {
    /** The thread that decides. */
    @Param({"publishing thread", "batcher thread", "idle instance"})
    public String decides = "";

    private @Nullable HandOff handOff;

    /** Starts the threads. */
    @Setup(Level.Iteration)
    public void start() {
      handOff =
          switch (decides) {
            case "publishing thread" -> new PublishingThreadDecides();
            case "batcher thread" -> new BatcherThreadDecides();
            case "idle instance" -> new IdleInstanceDecides();
            default -> throw new IllegalArgumentException(decides);
          };
    }

    /** Stops the threads. */
    @TearDown(Level.Iteration)
    public void stop() throws InterruptedException {
      Objects.requireNonNull(handOff).stop();
    }

    private void run() {
      var request = new WaitingRequest();
      Objects.requireNonNull(handOff).submit(request);
      request.await();
    }
  }

  /** One request in flight. */
  @Benchmark
  @Threads(1)
  public void oneSender(Variant variant) {
    variant.run();
  }

  /** Sixteen requests in flight. */
  @Benchmark
  @Threads(16)
  public void sixteenSenders(Variant variant) {
    variant.run();
  }

  /** A variant of the path from a sender to the instance. */
  private interface HandOff {
    void submit(WaitingRequest request);

    void stop() throws InterruptedException;
  }

  /** A request whose sender waits for the response. */
  static final class WaitingRequest extends Ticket {
    private final Thread sender = Thread.currentThread();
    private volatile boolean done;

    WaitingRequest() {
      super(1, 0, NEVER, RequestOptions.NONE);
    }

    @Override
    public String id() {
      return "";
    }

    void await() {
      while (!done) {
        LockSupport.park(this);
      }
    }

    void respond() {
      done = true;
      LockSupport.unpark(sender);
    }
  }

  /**
   * The server's variant: the thread that publishes an event decides, unless another thread is
   * deciding. The batch is formed when the instance is ready.
   */
  private static final class PublishingThreadDecides implements HandOff {
    private final HandOffDecisions decisions = new HandOffDecisions(false);
    private final AtomicInteger published = new AtomicInteger();
    private final Thread instance = Thread.ofPlatform().start(this::run);
    private volatile boolean stopped;

    @Override
    public void submit(WaitingRequest request) {
      publish(request, false);
    }

    private void publish(@Nullable WaitingRequest request, boolean executed) {
      decisions.publish(request, executed);
      if (published.getAndIncrement() != 0) {
        return;
      }
      int seen = 1;
      do {
        decisions.decide();
        if (decisions.woken || decisions.size > 0) {
          LockSupport.unpark(instance);
        }
        seen = published.addAndGet(-seen);
      } while (seen != 0);
    }

    private void run() {
      while (!stopped) {
        if (decisions.size > 0) {
          decisions.execute();
          publish(null, true);
        } else if (decisions.woken) {
          decisions.woken = false;
          publish(null, false);
        } else {
          LockSupport.park(this);
        }
      }
    }

    @Override
    public void stop() throws InterruptedException {
      stopped = true;
      LockSupport.unpark(instance);
      instance.join();
    }
  }

  /** A separate thread between the senders and the instance decides. */
  private static final class BatcherThreadDecides implements HandOff {
    private final HandOffDecisions decisions = new HandOffDecisions(true);
    private final SequenceBarrier barrier = decisions.ring.newBarrier();
    private final Thread instance = Thread.ofPlatform().start(this::run);
    private final Thread batcher = Thread.ofPlatform().start(this::batch);
    private volatile boolean stopped;

    @Override
    public void submit(WaitingRequest request) {
      decisions.publish(request, false);
    }

    private void batch() {
      while (decisions.await(barrier)) {
        decisions.decide();
        if (decisions.size > 0) {
          LockSupport.unpark(instance);
        }
      }
    }

    private void run() {
      while (!stopped) {
        if (decisions.size > 0) {
          decisions.execute();
          decisions.publish(null, true);
        } else {
          LockSupport.park(this);
        }
      }
    }

    @Override
    public void stop() throws InterruptedException {
      barrier.alert();
      batcher.join();
      stopped = true;
      LockSupport.unpark(instance);
      instance.join();
    }
  }

  /** The instance, while idle, reads the ring and decides. */
  private static final class IdleInstanceDecides implements HandOff {
    private final HandOffDecisions decisions = new HandOffDecisions(true);
    private final SequenceBarrier barrier = decisions.ring.newBarrier();
    private final Thread instance = Thread.ofPlatform().start(this::run);

    @Override
    public void submit(WaitingRequest request) {
      decisions.publish(request, false);
    }

    private void run() {
      while (decisions.await(barrier)) {
        decisions.decide();
        while (decisions.size > 0) {
          decisions.execute();
          decisions.executed();
          decisions.decide();
        }
      }
    }

    @Override
    public void stop() throws InterruptedException {
      barrier.alert();
      instance.join();
    }
  }
}
