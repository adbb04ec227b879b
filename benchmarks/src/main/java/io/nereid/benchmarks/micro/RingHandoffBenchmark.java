package io.nereid.benchmarks.micro;

import io.nereid.exchange.AwaitedResponse;
import io.nereid.exchange.InferenceResponse;
import io.nereid.exchange.PendingRequest;
import io.nereid.exchange.ResponsePromise;
import io.nereid.instance.RequestRing;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a request's way to an instance's thread and back cost through the Disruptor's ring,
 * beside a blocking queue of the JDK? Sixteen connections wait for one instance that answers at
 * once; sending, waiting and the promise are the same for both.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Threads(16)
@Fork(1)
public class RingHandoffBenchmark {
  private static final int CAPACITY = 1024;
  private static final ModelKey MODEL = new ModelKey("echo", 1);
  private static final InferenceRequest REQUEST =
      new InferenceRequest(MODEL, "", List.of(), List.of(), RequestOptions.NONE);
  private static final InferenceResponse RESPONSE =
      new InferenceResponse(MODEL, "", Map.of(), List.of(), List.of());

  /** The server's ring, and an instance that reads it. */
  @State(Scope.Benchmark)
  public static class Ring {
    private final RequestRing ring = new RequestRing(CAPACITY);
    private final RequestRing.Reader reader = ring.reader();
    private final Thread instance = Thread.ofPlatform().start(() -> answerAll(reader::take));

    /** Ends the instance. */
    @TearDown
    public void stop() throws InterruptedException {
      ring.stop();
      instance.join();
    }
  }

  /** The baseline: the same with the JDK's bounded queue. */
  @State(Scope.Benchmark)
  public static class Queue {
    private final ArrayBlockingQueue<PendingRequest> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final Thread instance = Thread.ofPlatform().start(() -> answerAll(queue::take));

    /** Ends the instance. */
    @TearDown
    public void stop() throws InterruptedException {
      instance.interrupt();
      instance.join();
    }
  }

  /** Through the ring. */
  @Benchmark
  public InferenceResponse requestRing(Ring state) {
    var receiver = new AwaitedResponse();
    var promise = new ResponsePromise(receiver);
    if (!state.ring.offer(pending(promise))) {
      throw new AssertionError("sixteen requests fill the ring");
    }
    return receiver.await(promise);
  }

  /** Through the queue. */
  @Benchmark
  public InferenceResponse arrayBlockingQueueBaseline(Queue state) {
    var receiver = new AwaitedResponse();
    var promise = new ResponsePromise(receiver);
    if (!state.queue.offer(pending(promise))) {
      throw new AssertionError("sixteen requests fill the queue");
    }
    return receiver.await(promise);
  }

  private static PendingRequest pending(ResponsePromise promise) {
    return new PendingRequest(REQUEST, 1, List.of(), () -> {}, promise);
  }

  private interface Source {
    /** The next request; null once there will be none. */
    @Nullable PendingRequest take() throws InterruptedException;
  }

  private static void answerAll(Source source) {
    try {
      for (var next = source.take(); next != null; next = source.take()) {
        try (var request = next) {
          request.promise().answer(RESPONSE);
        }
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }
}
