package io.nereid.client.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RetryPolicy;
import io.nereid.client.Tensor;
import io.nereid.client.rest.LyingServer.Answer;
import io.nereid.client.rest.LyingServer.Then;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many calls to a server that cuts, repeats, delays, refuses and resets at random. With {@code
 * -Dnereid.client.calls=1000000} there are as many, and a table.
 */
class RandomLiesTest {
  private static final int CALLS = Integer.getInteger("nereid.client.calls", 3000);
  private static final int THREADS = CALLS > 10_000 ? 64 : 16; // hangs take a second each
  private static final Pattern ID = Pattern.compile("\"id\":\"(\\d+)\"");

  private final BitSet executed = new BitSet(CALLS);
  private final AtomicInteger executedTwice = new AtomicInteger();
  private final AtomicInteger next = new AtomicInteger();
  private final Map<String, LongAdder> outcomes = new ConcurrentSkipListMap<>();

  private void count(String outcome) {
    outcomes.computeIfAbsent(outcome, each -> new LongAdder()).increment();
  }

  /** What the server does, in hundredths. */
  private Answer answer(String request) {
    int lie = ThreadLocalRandom.current().nextInt(100);
    if (lie < 8) {
      boolean busy = lie < 4;
      return Answer.response(
          busy ? 429 : 503, busy ? "Retry-After: 0\n" : "", "{\"error\":\"busy\"}");
    }
    String id = execute(request);
    byte[] whole =
        Answer.response(
                200,
                "",
                "{\"id\":\"%s\",\"outputs\":[{\"name\":\"B\",\"datatype\":\"INT32\",\"shape\":[1],\"data\":[%s]}]}"
                    .formatted(id, id))
            .bytes();
    int cut = ThreadLocalRandom.current().nextInt(whole.length);
    return switch (lie) {
      case 8, 9 -> new Answer(new byte[0], Then.CLOSE);
      case 10, 11 -> new Answer(Arrays.copyOf(whole, cut), Then.CLOSE);
      case 12, 13 -> new Answer(Arrays.copyOf(whole, cut), Then.RESET);
      case 14 -> new Answer(Arrays.copyOf(whole, cut), Then.HANG);
      case 15 -> new Answer(whole, Then.CLOSE);
      case 16 -> twice(whole);
      case 17 -> changed(whole, cut);
      case 18 -> Answer.response(500, "", "{\"error\":\"broken\"}");
      case 19 -> Answer.response(502, "", "<html>");
      default -> new Answer(whole, Then.KEEP);
    };
  }

  private String execute(String request) {
    Matcher id = ID.matcher(request);
    if (!id.find()) {
      throw new IllegalStateException("a request without an id: " + request);
    }
    int number = Integer.parseInt(id.group(1));
    synchronized (executed) {
      if (executed.get(number)) {
        executedTwice.incrementAndGet();
      }
      executed.set(number);
    }
    return id.group(1);
  }

  private static Answer twice(byte[] whole) {
    byte[] two = Arrays.copyOf(whole, 2 * whole.length);
    System.arraycopy(whole, 0, two, whole.length, whole.length);
    return new Answer(two, Then.KEEP);
  }

  private static Answer changed(byte[] whole, int at) {
    byte[] other = whole.clone();
    other[at] ^= 0x10;
    return new Answer(other, Then.CLOSE);
  }

  private void call(NereidClient client, int number) {
    InferRequest request =
        InferRequest.to("m").id("" + number).input("A", Tensor.of(new int[] {number})).build();
    try {
      InferResponse response =
          number % 2 == 0 ? client.infer(request) : client.inferAsync(request).join();
      count(isOwn(response, number) ? "answered" : "answered, with a changed byte");
    } catch (NereidException e) {
      count(e.code() + (e.mayHaveRun() ? "" : ", refused"));
    } catch (CompletionException e) {
      if (e.getCause() instanceof NereidException cause) {
        count(cause.code() + (cause.mayHaveRun() ? "" : ", refused"));
      } else {
        throw e;
      }
    }
  }

  /** Whether it is the answer to the request of that number, which a changed byte may hide. */
  private static boolean isOwn(InferResponse response, int number) {
    return response.id().equals("" + number)
        && response.outputs().containsKey("B")
        && Arrays.equals(response.output("B").ints(), new int[] {number});
  }

  /** Threads of other tests. */
  private final Set<Thread> before = Thread.getAllStackTraces().keySet();

  @Test
  @Timeout(900)
  void everyCallEndsAndNoneIsExecutedTwice() throws Exception {
    try (var server = new LyingServer(this::answer)) {
      try (NereidClient client =
          NereidClient.builder(server.address())
              .deadline(Duration.ofMillis(CALLS > 10_000 ? 1000 : 300))
              .retries(new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(5)))
              .open()) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          threads.add(
              Thread.ofPlatform()
                  .start(() -> {
                    for (int k = next.getAndIncrement(); k < CALLS; k = next.getAndIncrement()) {
                      call(client, k);
                    }
                  }));
        }
        for (Thread thread : threads) {
          thread.join();
        }
      }
      server.awaitClosed();
    }
    System.out.println(outcomes);

    assertThat(outcomes.values().stream().mapToLong(LongAdder::sum).sum()).isEqualTo(CALLS);
    assertThat(executedTwice).hasValue(0);
    assertThat(outcomes.getOrDefault("answered", new LongAdder()).sum()).isGreaterThan(CALLS / 10);
    assertThat(outcomes.getOrDefault("answered, with a changed byte", new LongAdder()).sum())
        .isLessThan(CALLS / 50);
    while (!threadsOfClients().isEmpty()) {
      LockSupport.parkNanos(1_000_000); // they end on their own, once the client is closed
    }
  }

  private Set<Thread> threadsOfClients() {
    Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    threads.removeIf(each -> !each.getName().startsWith("HttpClient"));
    threads.removeAll(before);
    return threads;
  }
}
