package io.nereid.server.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.memory.ClientKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LongWorkTest {
  private static final ClientKey CLIENT = new ClientKey("192.0.2.1");
  private static final ClientKey OTHER = new ClientKey("192.0.2.2");

  private final LongWork work = new LongWork(2);

  @Test
  void shortWorkIsDoneByTheCaller() throws IOException {
    Thread thread = work.call(CLIENT, LongWork.LEAST - 1, Thread::currentThread);

    assertThat(thread).isSameAs(Thread.currentThread());
  }

  @Test
  void longWorkIsDoneByAPlatformThread() throws Exception {
    var result = new FutureTask<>(() -> work.call(CLIENT, LongWork.LEAST, Thread::currentThread));
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
                  CLIENT,
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
                  CLIENT,
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
                  CLIENT,
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

  @Test
  void clientsTakeTurns() throws Exception {
    var one = new LongWork(1);
    BlockingQueue<String> done = new LinkedBlockingQueue<>();
    var gate = new CountDownLatch(1);
    one.start(CLIENT, () -> awaitUninterrupted(gate));
    for (String task : List.of("a1", "a2", "a3")) {
      one.start(CLIENT, () -> done.add(task));
    }
    for (String task : List.of("b1", "b2")) {
      one.start(OTHER, () -> done.add(task));
    }
    gate.countDown();

    for (String task : List.of("a1", "b1", "a2", "b2", "a3")) {
      assertThat(done.take()).isEqualTo(task);
    }
  }

  @Test
  void aTaskThatPausesContinuesBehindThoseThatWait() throws Exception {
    var one = new LongWork(1);
    BlockingQueue<String> done = new LinkedBlockingQueue<>();
    var begun = new CountDownLatch(1);
    var gate = new CountDownLatch(1);
    one.start(
        CLIENT,
        () -> {
          begun.countDown();
          awaitUninterrupted(gate);
          one.pause(CLIENT);
          done.add("long");
        });
    begun.await();
    one.start(CLIENT, () -> done.add("short"));
    one.start(OTHER, () -> done.add("of another client"));
    gate.countDown();

    for (String task : List.of("short", "of another client", "long")) {
      assertThat(done.take()).isEqualTo(task);
    }
  }

  @Test
  void aTaskThatPausesContinuesAtOnceIfNoneWaits() throws Exception {
    String done =
        work.call(
            CLIENT,
            LongWork.LEAST,
            () -> {
              work.pause(CLIENT);
              return "done";
            });

    assertThat(done).isEqualTo("done");
  }

  @Test
  void noMoreTasksPauseThanMayKeepAThread() throws Exception {
    int tasks = 500;
    var one = new LongWork(1);
    var gate = new CountDownLatch(1);
    BlockingQueue<Integer> done = new LinkedBlockingQueue<>();
    one.start(OTHER, () -> awaitUninterrupted(gate));
    int before = Thread.getAllStackTraces().size();
    for (int i = 0; i < tasks; i++) {
      int number = i;
      one.start(
          CLIENT,
          () -> {
            one.pause(CLIENT);
            done.add(number);
          });
    }
    assertThat(one.waiting()).isEqualTo(tasks);
    gate.countDown();

    int most = 0;
    for (int i = 0; i < tasks; i++) {
      done.take();
      most = Math.max(most, Thread.getAllStackTraces().size());
    }
    assertThat(most - before).isLessThan(100);
  }

  @Test
  void aTaskThatFailsLetsTheNextOneRun() throws Exception {
    var one = new LongWork(1);
    var next = new CountDownLatch(1);

    assertThatThrownBy(() ->
            one.call(
                CLIENT,
                LongWork.LEAST,
                () -> {
                  throw new IOException("a");
                }))
        .isInstanceOf(IOException.class);

    one.start(CLIENT, next::countDown);
    next.await();
  }

  @Test
  void aThreadWhoseTasksThrowGoesOn() throws Exception {
    var one = new LongWork(1);
    BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
    var gate = new CountDownLatch(1);
    one.start(CLIENT, () -> awaitUninterrupted(gate));
    for (int i = 0; i < 3; i++) {
      one.start(
          CLIENT,
          () -> {
            threads.add(Thread.currentThread());
            throw new StackOverflowError("thrown by a test");
          });
    }
    gate.countDown();

    Thread first = threads.take();
    assertThat(threads.take()).isSameAs(first);
    assertThat(threads.take()).isSameAs(first);
    var next = new CountDownLatch(1);
    one.start(CLIENT, next::countDown);
    next.await();
    assertThat(first.isAlive()).isTrue();
  }

  private static void awaitUninterrupted(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException unexpected) {
      throw new AssertionError("the work is not interrupted", unexpected);
    }
  }

  @Test
  void anErrorOfATaskEndsNoOtherAndTakesNoTurnAway() throws Exception {
    var ran = new CountDownLatch(1);
    for (int i = 0; i < 4; i++) { // twice as many as run at once
      work.start(
          CLIENT,
          () -> {
            throw new OutOfMemoryError("of a test");
          });
    }
    work.start(OTHER, ran::countDown);

    ran.await();
  }
}
