package example;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The application that was built, as a process. */
class ApplicationIT {
  private static final Pattern LISTENING = Pattern.compile("Listening on: http://\\S+:(\\d+)");
  private static final Pattern FRONT_ENDS = Pattern.compile("models at ports (\\d+) and (\\d+)");

  private final HttpClient http = HttpClient.newHttpClient();

  /** An application that has started, and the lines that it printed before. */
  private record Application(Process process, List<String> lines) implements AutoCloseable {
    static Application start(String... properties) throws IOException {
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin/java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-Dquarkus.http.port=0"));
      command.addAll(List.of(properties));
      command.addAll(List.of("-jar", "target/quarkus-app/quarkus-run.jar"));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      List<String> lines = new ArrayList<>();
      BufferedReader reader = process.inputReader();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
        if (LISTENING.matcher(line).find()) {
          Thread.ofPlatform().daemon().start(() -> reader.lines().forEach(System.out::println));
          return new Application(process, lines);
        }
      }
      throw new AssertionError(String.join("\n", lines));
    }

    int number(Pattern pattern, int group) {
      for (String line : lines) {
        Matcher matcher = pattern.matcher(line);
        if (matcher.find()) {
          return Integer.parseInt(matcher.group(group));
        }
      }
      throw new AssertionError(lines.toString());
    }

    int port() {
      return number(LISTENING, 1);
    }

    @Override
    public void close() throws InterruptedException {
      process.destroy();
      assertEquals(143, process.waitFor());
    }
  }

  private String get(int port, String path) throws Exception {
    return http.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            BodyHandlers.ofString())
        .body();
  }

  @Test
  void theApplicationInfersAndIsHealthyAndMeasured() throws Exception {
    try (var application = Application.start()) {
      int port = application.port();

      assertEquals("7", get(port, "/sum?a=3&b=4"));
      String health = get(port, "/q/health/ready");
      assertTrue(health.contains("\"name\": \"engine\""), health);
      assertTrue(health.contains("\"status\": \"UP\""), health);
      assertTrue(health.contains("\"serving\": 1"), health);
      String metrics = get(port, "/q/metrics");
      assertTrue(
          metrics
              .lines()
              .anyMatch(line ->
                  line.startsWith("nereid_requests_seconds_count{")
                      && line.contains("model=\"simple\"")
                      && line.endsWith(" 1.0")),
          metrics);
    }
  }

  @Test
  void otherProgramsAskItsModelsOverHttpAndGrpc() throws Exception {
    try (var application =
        Application.start(
            "-Dnereid.engine.front-ends.enabled=true",
            "-Dnereid.engine.front-ends.http-port=0",
            "-Dnereid.engine.front-ends.grpc-port=0")) {
      int[] ones = new int[16];
      Arrays.fill(ones, 1);
      int[] twos = new int[16];
      Arrays.fill(twos, 2);
      InferRequest request =
          InferRequest.to("simple")
              .input("INPUT0", Tensor.of(ones, 1, 16))
              .input("INPUT1", Tensor.of(ones, 1, 16))
              .build();
      for (String address :
          List.of(
              "http://127.0.0.1:" + application.number(FRONT_ENDS, 1),
              "grpc://127.0.0.1:" + application.number(FRONT_ENDS, 2))) {
        try (NereidClient client = NereidClient.connect(address)) {
          assertArrayEquals(twos, client.infer(request).output("OUTPUT0").ints());
        }
      }
    }
  }

  /** Every response that begins is whole and right, and the others were refused. */
  @Test
  void noRequestIsLostWhenTheApplicationEnds() throws Exception {
    var application = Application.start();
    int port = application.port();
    var underWay = new CountDownLatch(100);
    Callable<List<Integer>> caller =
        () -> {
          List<Integer> statuses = new ArrayList<>();
          while (true) {
            try (HttpClient own = HttpClient.newHttpClient()) { // a new connection each time
              var response =
                  own.send(
                      HttpRequest.newBuilder(
                              URI.create("http://127.0.0.1:" + port + "/sum?a=1&b=2"))
                          .build(),
                      BodyHandlers.ofString());
              statuses.add(response.statusCode());
              if (response.statusCode() == 200) {
                assertEquals("3", response.body());
              }
              underWay.countDown();
            } catch (IOException ended) { // it was not accepted any more
              return statuses;
            }
          }
        };
    try (ExecutorService callers = Executors.newFixedThreadPool(8)) {
      List<Future<List<Integer>>> ends = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        ends.add(callers.submit(caller));
      }
      underWay.await();
      application.close();
      for (Future<List<Integer>> end : ends) {
        for (int status : end.get()) {
          assertTrue(status == 200 || status == 503, "status " + status); // 503: it was refused
        }
      }
    }
  }
}
