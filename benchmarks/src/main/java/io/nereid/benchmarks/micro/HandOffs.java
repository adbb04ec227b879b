package io.nereid.benchmarks.micro;

import com.lmax.disruptor.SequenceBarrier;
import io.nereid.request.RequestOptions;
import io.nereid.server.request.Ticket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ways of a request from the thread that brings it to the one instance that runs it. Ring, policy
 * and instance are the same; they differ in who decides.
 */
final class HandOffs {
  private HandOffs() {}

  /** A way for requests to go. */
  interface HandOff {
    /** Has the request run. */
    void submit(Waiting request);

    void stop() throws InterruptedException;
  }

  /** A request whose sender waits. */
  static final class Waiting extends Ticket {
    private final Thread sender = Thread.currentThread();
    private volatile boolean done;

    Waiting() {
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

    void answer() {
      done = true;
      LockSupport.unpark(sender);
    }
  }

  /**
   * As the server does it: whoever brings an event and finds nobody deciding decides, and the batch
   * is formed when the instance has come.
   */
  static final class WhoeverBrings implements HandOff {
    private final HandOffDecisions decisions = new HandOffDecisions(false);
    private final AtomicInteger brought = new AtomicInteger();
    private final Thread instance = Thread.ofPlatform().start(this::run);
    private volatile boolean stopped;

    @Override
    public void submit(Waiting request) {
      bring(request, false);
    }

    private void bring(@Nullable Waiting request, boolean executed) {
      decisions.bring(request, executed);
      if (brought.getAndIncrement() != 0) {
        return;
      }
      int seen = 1;
      do {
        decisions.decide();
        if (decisions.called || decisions.size > 0) {
          LockSupport.unpark(instance);
        }
        seen = brought.addAndGet(-seen);
      } while (seen != 0);
    }

    private void run() {
      while (!stopped) {
        if (decisions.size > 0) {
          decisions.execute();
          bring(null, true);
        } else if (decisions.called) {
          decisions.called = false;
          bring(null, false);
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

  /** A thread that does nothing but decide, between the senders and the instance. */
  static final class BatcherThread implements HandOff {
    private final HandOffDecisions decisions = new HandOffDecisions(true);
    private final SequenceBarrier barrier = decisions.ring.newBarrier();
    private final Thread instance = Thread.ofPlatform().start(this::run);
    private final Thread batcher = Thread.ofPlatform().start(this::batch);
    private volatile boolean stopped;

    @Override
    public void submit(Waiting request) {
      decisions.bring(request, false);
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
          decisions.bring(null, true);
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

  /** The idle instance reads the ring and decides for itself. */
  static final class InstanceLeads implements HandOff {
    private final HandOffDecisions decisions = new HandOffDecisions(true);
    private final SequenceBarrier barrier = decisions.ring.newBarrier();
    private final Thread instance = Thread.ofPlatform().start(this::run);

    @Override
    public void submit(Waiting request) {
      decisions.bring(request, false);
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
