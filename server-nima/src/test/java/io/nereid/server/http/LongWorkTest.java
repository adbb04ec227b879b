package io.nereid.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LongWorkTest {
  private final LongWork work = new LongWork(2);

  @Test
  void shortWorkIsDoneByTheCaller() throws IOException {
    Thread thread = work.call(LongWork.LEAST - 1, Thread::currentThread);

    assertThat(thread).isSameAs(Thread.currentThread());
  }

  @Test
  void longWorkIsDoneByAPlatformThread() throws Exception {
    var result = new FutureTask<>(() -> work.call(LongWork.LEAST, Thread::currentThread));
    Thread caller = Thread.ofVirtual().start(result);

    assertThat(result.get()).isNotSameAs(caller);
    assertThat(result.get().isVirtual()).isFalse();
  }

  @Test
  void virtualThreadsRunWhileAllThreadsAreAtLongWork() throws Exception {
    int workers = 4 * Runtime.getRuntime().availableProcessors();
    var busy = new LongWork(Runtime.getRuntime().availableProcessors());
    var begun = new CountDownLatch(Runtime.getRuntime().availableProcessors());
    var ended = new AtomicBoolean();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      var task =
          new FutureTask<>(() ->
              busy.call(
                  Long.MAX_VALUE,
                  () -> {
                    begun.countDown();
                    while (!ended.get()) {
                      Thread.onSpinWait();
                    }
                    return true;
                  }));
      callers.add(Thread.ofVirtual().start(task));
    }
    begun.await();

    Thread.ofVirtual().start(() -> ended.set(true)).join();
    for (Thread caller : callers) {
      caller.join();
    }
  }

  @Test
  void failuresOfLongWorkAreThoseOfTheCaller() {
    for (Exception thrown : List.of(new IOException("a"), new IllegalStateException("b"))) {
      assertThatThrownBy(() ->
              work.call(
                  LongWork.LEAST,
                  () -> {
                    if (thrown instanceof IOException failure) {
                      throw failure;
                    }
                    throw (IllegalStateException) thrown;
                  }))
          .isSameAs(thrown);
    }
  }

  @Test
  void anInterruptDoesNotEndTheWait() throws Exception {
    var begun = new CountDownLatch(1);
    var gate = new CountDownLatch(1);
    var interrupted = new AtomicBoolean();
    var result =
        new FutureTask<>(() -> {
          String done =
              work.call(
                  LongWork.LEAST,
                  () -> {
                    begun.countDown();
                    awaitUninterrupted(gate);
                    return "done";
                  });
          interrupted.set(Thread.currentThread().isInterrupted());
          return done;
        });
    Thread caller = Thread.ofVirtual().start(result);
    begun.await();
    caller.interrupt();
    gate.countDown();

    assertThat(result.get()).isEqualTo("done");
    assertThat(interrupted).isTrue();
  }

  private static void awaitUninterrupted(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException unexpected) {
      throw new AssertionError("the work is not interrupted", unexpected);
    }
  }
}
