package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.call.ScriptedBackend.Script;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.CallResponse;
import io.nereid.spi.DetachedRequest;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many requests to models that call others, some of them detached: with cancellations, deadlines,
 * reloads, and a stop. Each is answered once, and nothing is left.
 */
@Timeout(1800)
class CallCampaignTest extends CallingModels {
  private static final int REQUESTS = Integer.getInteger("nereid.calls", 1_000);
  private static final int CLIENTS = 8;

  /** How a request may fail that was not cancelled. */
  private static final Set<StatusCode> FAILURES =
      EnumSet.of(
          StatusCode.CANCELLED,
          StatusCode.DEADLINE_EXCEEDED,
          StatusCode.RESOURCE_EXHAUSTED, // refused, since it would be late
          StatusCode.NOT_FOUND, // a failure of the called model
          StatusCode.UNAVAILABLE); // that is loaded again

  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong cancelled = new AtomicLong();
  private final Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isOver = new AtomicBoolean();

  private static boolean oneIn(int count) {
    return ThreadLocalRandom.current().nextInt(count) == 0;
  }

  /** Answers or fails; takes up to a fifth of a millisecond. */
  private static final Script INNER =
      (batch, results) -> {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(200_000));
        if (oneIn(20)) {
          throw InferenceException.notFound("none today");
        }
        adding(1).execute(batch, results);
      };

  /** Calls in one of several ways; leaves responses open, or a call running. */
  private static final Script ORDINARY =
      (batch, results) -> {
        var calls = batch.calls(0);
        switch (ThreadLocalRandom.current().nextInt(4)) {
          case 0 -> {
            var _ = calls.inferAsync(call("inner", batch).build());
          }
          case 1 -> {
            var _ = calls.allocate("inner", 1_000);
            var _ = calls.infer(call("inner", batch).build());
          }
          case 2 -> {
            try (var responses = calls.stream(call("inner", batch).build())) {
              responses.next().ifPresent(CallResponse::close);
            }
          }
          default -> {}
        }
        passingTo("inner").execute(batch, results);
      };

  private static void answerLater(DetachedRequest request) {
    if (oneIn(4)) {
      var _ = request.calls().inferAsync(call("inner", request));
    }
    if (oneIn(10)) {
      throw InferenceException.notFound("not for this one");
    }
    CallResponse response = request.calls().infer(call("inner", request));
    request.give(response.output("OUT"), response.keep());
    request.send();
  }

  /** Ends the request where the call completes. */
  private static final Script ASYNCHRONOUS =
      (_, results) -> {
        DetachedRequest request = results.detach(0);
        if (oneIn(2)) {
          request.onCancel(() -> end(request, InferenceException.cancelled()));
        }
        var _ =
            request
                .calls()
                .inferAsync(call("later", request))
                .whenComplete((response, failure) -> {
                  if (failure == null) {
                    pass(request, response);
                  } else {
                    end(request, (InferenceException) failure);
                  }
                });
      };

  private static void pass(DetachedRequest request, CallResponse response) {
    try {
      request.give(response.output("OUT"), response.keep());
      request.send();
    } catch (IllegalStateException ended) { // by its cancellation, which closes the response
      assertThat(request.isCancelled()).isTrue();
    }
  }

  private static void end(DetachedRequest request, InferenceException failure) {
    try {
      request.fail(failure);
    } catch (IllegalStateException ended) { // by a cancellation
      assertThat(request.isCancelled()).isTrue();
    }
  }

  private void client(RandomGenerator random, int requests) {
    for (int i = 0; i < requests; i++) {
      String model = List.of("ordinary", "later", "async").get(random.nextInt(3));
      var request = ModelRequest.to(model).input("IN", Shape.of(1), i);
      if (random.nextInt(5) == 0) {
        request.timeout(Duration.ofNanos(1 + random.nextInt(1_500_000)));
      }
      CompletableFuture<ModelResponse> sent = send(request.build());
      if (random.nextInt(5) == 0) {
        LockSupport.parkNanos(random.nextInt(400_000));
        sent.cancel(true);
      }
      note(sent, i);
    }
  }

  private CompletableFuture<ModelResponse> send(ModelRequest request) {
    try {
      return engine().inferAsync(request);
    } catch (InferenceException refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }

  private void note(CompletableFuture<ModelResponse> sent, int value) {
    try (ModelResponse response = sent.join()) {
      assertThat(response.ints("OUT")).containsExactly(value + 1);
      answered.incrementAndGet();
    } catch (CancellationException expected) {
      cancelled.incrementAndGet();
    } catch (CompletionException failure) {
      failed.incrementAndGet();
      LockSupport.parkNanos(200_000); // a model that is unloaded takes no time to refuse
      if (!isExpected(failure.getCause())) {
        wrong.add(failure);
      }
    } catch (Throwable unexpected) {
      wrong.add(unexpected);
    }
  }

  private static boolean isExpected(@Nullable Throwable failure) {
    return failure instanceof TimeoutException // of the future, at the request's deadline
        || (failure instanceof InferenceException known && FAILURES.contains(known.code()));
  }

  /** Loads models again, until the clients have sent their requests. */
  private void reload() {
    for (int load = 0; !isOver.get(); load++) {
      String name = List.of("inner", "later", "ordinary").get(load % 3);
      try {
        define(name, load);
        engine().load(name);
        if (load % 50 == 49) {
          engine().unload("inner");
          engine().load("inner");
        }
      } catch (Throwable failure) {
        wrong.add(failure);
      }
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** Gives a model a configuration that differs from that of another load. */
  private void define(String name, int load) {
    String more =
        "parameters { key: \"load\" value { string_value: \"%d\" } } instance_group { count: 2 kind: KIND_CPU }"
            .formatted(load);
    switch (name) {
      case "inner" -> model(name, "", more, INNER);
      case "later" -> model(name, "inner", more, later(CallCampaignTest::answerLater));
      case "async" -> model(name, "later", more, ASYNCHRONOUS);
      default -> model(name, "inner", more, ORDINARY);
    }
  }

  @Test
  void eachRequestIsAnsweredOnceAndNothingIsLeft() throws IOException, InterruptedException {
    List.of("inner", "later", "async", "ordinary").forEach(name -> define(name, -1));
    open(Engine.builder().startWith("async", "ordinary"));
    Thread reloads = Thread.ofPlatform().start(this::reload);
    List<Thread> clients = new ArrayList<>();
    var seed = new Random(42);
    for (int i = 0; i < CLIENTS; i++) {
      RandomGenerator random = new Random(seed.nextLong());
      clients.add(Thread.ofVirtual().start(() -> client(random, REQUESTS / CLIENTS)));
    }
    for (Thread client : clients) {
      client.join();
    }
    isOver.set(true);
    reloads.join();
    List<CompletableFuture<ModelResponse>> last = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      last.add(send(ModelRequest.to("async").input("IN", Shape.of(1), i).build()));
    }
    stop();
    for (int i = 0; i < last.size(); i++) {
      assertThat(last.get(i)).isDone();
      note(last.get(i), i);
    }

    assertThat(wrong).isEmpty();
    assertThat(answered.get() + failed.get() + cancelled.get())
        .isEqualTo(REQUESTS / CLIENTS * CLIENTS + last.size());
    assertThat(answered.get()).isGreaterThan(REQUESTS / 10);
    assertThat(cancelled.get()).isPositive();
    assertThat(failed.get()).isPositive();
  }
}
