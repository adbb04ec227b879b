package io.nereid.text;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * More texts than a server can embed: {@code make text-overload}. It first asks for each text
 * alone, then measures what the server answers to {@link #CLIENTS} clients, and then sends three
 * and ten times as much, at fixed times, whatever comes back. Each answer must be its own text's
 * vector, or 429 with {@code Retry-After}; for each load it prints a row.
 *
 * <p>Arguments: the address of the server's HTTP, the model, and the seconds of each load.
 */
final class TextOverload {
  private static final int CLIENTS = 32;
  private static final int TEXTS = 500;
  private static final int MAX_WORDS = 120;

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI embed;
  private final List<String> texts = new ArrayList<>();
  private final List<float[]> vectors = new ArrayList<>();

  private TextOverload(URI embed) {
    this.embed = embed;
  }

  /** What became of the requests of a load; thread-safe. */
  private static final class Outcomes {
    final List<Long> served = Collections.synchronizedList(new ArrayList<>());
    final List<Long> refused = Collections.synchronizedList(new ArrayList<>());
    final AtomicInteger wrong = new AtomicInteger();
    final Map<String, Integer> others = Collections.synchronizedMap(new TreeMap<>());

    String row(String load, double perSecond, double seconds) {
      return "| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %d | %s |"
          .formatted(
              load,
              perSecond,
              served.size() / seconds,
              millis(served, 0.5),
              millis(served, 0.99),
              refused.size() / seconds,
              millis(refused, 0.99),
              wrong.get(),
              others.isEmpty() ? "none" : others);
    }

    private static double millis(List<Long> nanos, double quantile) {
      long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
      return sorted.length == 0 ? 0 : sorted[(int) (quantile * (sorted.length - 1))] / 1e6;
    }
  }

  private void askAlone() throws IOException, InterruptedException {
    var random = new Random(3);
    for (int i = 0; i < TEXTS; i++) {
      var text = new StringBuilder("text " + i);
      for (int words = 1 + (int) (MAX_WORDS * Math.pow(random.nextDouble(), 3));
          words > 0;
          words--) {
        text.append(' ').append(Integer.toString(random.nextInt(100_000), 36));
      }
      texts.add(text.toString());
      HttpResponse<String> response = send(i);
      if (response.statusCode() != 200) {
        throw new IOException(response.statusCode() + " " + response.body());
      }
      vectors.add(vector(response));
    }
  }

  private HttpResponse<String> send(int text) throws IOException, InterruptedException {
    var body = new JsonObject();
    body.addProperty("inputs", texts.get(text));
    var request =
        HttpRequest.newBuilder(embed)
            .timeout(Duration.ofMinutes(1))
            .POST(BodyPublishers.ofString(body.toString()))
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  private static float[] vector(HttpResponse<String> response) {
    JsonArray row =
        JsonParser.parseString(response.body()).getAsJsonArray().get(0).getAsJsonArray();
    float[] vector = new float[row.size()];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = row.get(i).getAsFloat();
    }
    return vector;
  }

  /** Vectors have a length of 1; those of two texts differ by far more. */
  private static boolean isNear(float[] one, float[] other) {
    double product = 0;
    for (int i = 0; i < one.length; i++) {
      product += (double) one[i] * other[i];
    }
    return product > 0.9999;
  }

  private void ask(int text, Outcomes outcomes) {
    long start = System.nanoTime();
    try {
      HttpResponse<String> response = send(text);
      long nanos = System.nanoTime() - start;
      boolean says = response.headers().firstValue("Retry-After").isPresent();
      if (response.statusCode() == 429 && says) {
        outcomes.refused.add(nanos);
      } else if (response.statusCode() != 200) {
        outcomes.others.merge(response.statusCode() + " " + response.body(), 1, Integer::sum);
      } else if (!isNear(vector(response), vectors.get(text))) {
        outcomes.wrong.incrementAndGet();
      } else {
        outcomes.served.add(nanos);
      }
    } catch (IOException failed) {
      outcomes.others.merge(failed.toString(), 1, Integer::sum);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Texts per second that clients get who each wait for an answer before they ask again. */
  private double capacity(int seconds) throws InterruptedException {
    var outcomes = new Outcomes();
    var turns = new Semaphore(CLIENTS);
    var next = new AtomicInteger();
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      while (System.nanoTime() < end) {
        turns.acquire();
        threads.execute(() -> {
          ask(next.getAndIncrement() % TEXTS, outcomes);
          turns.release();
        });
      }
    }
    double perSecond = outcomes.served.size() / (double) seconds;
    System.out.println(outcomes.row(CLIENTS + " clients", perSecond, seconds));
    return perSecond;
  }

  private boolean load(int times, double capacity, int seconds) {
    var outcomes = new Outcomes();
    double perSecond = times * capacity;
    long start = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < perSecond * seconds; i++) {
        long due = start + (long) (i / perSecond * 1e9);
        while (System.nanoTime() < due) {
          LockSupport.parkNanos(due - System.nanoTime());
        }
        int text = i % TEXTS;
        threads.execute(() -> ask(text, outcomes));
      }
    }
    System.out.println(outcomes.row(times + " times", perSecond, seconds));
    return outcomes.wrong.get() == 0 && outcomes.others.isEmpty();
  }

  public static void main(String... arguments) throws IOException, InterruptedException {
    URI server = URI.create(arguments[0]);
    int seconds = Integer.parseInt(arguments[2]);
    var overload = new TextOverload(server.resolve("/v2/models/%s/embed".formatted(arguments[1])));
    overload.askAlone();
    System.out.println(
        "| load | asked/s | served/s | p50, ms | p99, ms | refused/s | p99, ms | wrong | others |");
    System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    overload.capacity(seconds); // the server's own warm-up
    double capacity = overload.capacity(seconds);
    boolean isRight = overload.load(3, capacity, seconds);
    isRight &= overload.load(10, capacity, seconds);
    System.exit(isRight ? 0 : 1);
  }
}
