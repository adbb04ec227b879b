package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.Tensor;
import io.nereid.engine.Engine;
import io.nereid.server.NereidServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class ApplicationTest {
  private static final int CALLERS = 8;

  private final HttpClient http = HttpClient.newHttpClient();

  private static ConfigurableApplicationContext start(String... more) {
    List<String> arguments = new ArrayList<>(List.of("--server.port=0"));
    arguments.addAll(List.of(more));
    return SpringApplication.run(Application.class, arguments.toArray(String[]::new));
  }

  private HttpResponse<String> get(String port, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
        BodyHandlers.ofString());
  }

  private static String port(ConfigurableApplicationContext context) {
    return context.getEnvironment().getProperty("local.server.port");
  }

  @Test
  void theApplicationInfersAndIsHealthyAndMeasured() throws Exception {
    try (var context = start()) {
      String port = port(context);

      assertThat(get(port, "/sum?a=3&b=4").body()).isEqualTo("7");
      assertThat(get(port, "/actuator/health").body())
          .contains("\"nereidEngine\":{", "\"serving\":1", "\"status\":\"UP\"");
      System.gc(); // registries refer weakly to what their meters read
      assertThat(get(port, "/sum?a=3&b=4").body()).isEqualTo("7");
      assertThat(get(port, "/actuator/metrics/nereid.requests?tag=model:simple").body())
          .contains("\"statistic\":\"COUNT\",\"value\":2.0");
      assertThat(context.getBeansOfType(NereidServer.class)).isEmpty();
    }
  }

  @Test
  void otherProgramsAskItsModelsOverHttpAndGrpc() throws Exception {
    try (var context =
        start(
            "--nereid.engine.front-ends.enabled=true",
            "--nereid.engine.front-ends.http-port=0",
            "--nereid.engine.front-ends.grpc-port=0")) {
      NereidServer server = context.getBean(NereidServer.class);
      Tensor ones = Tensor.of(new int[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 1, 16);
      InferRequest request =
          InferRequest.to("simple").input("INPUT0", ones).input("INPUT1", ones).build();
      for (String address :
          List.of(
              "http://127.0.0.1:" + server.httpPort(), "grpc://127.0.0.1:" + server.grpcPort())) {
        try (NereidClient client = NereidClient.connect(address)) {
          assertThat(client.infer(request).output("OUTPUT0").ints()).containsOnly(2);
        }
      }
      assertThat(get(port(context), "/sum?a=3&b=4").body()).isEqualTo("7");
    }
  }

  /** Requests that the application has begun when it ends are answered, all of them. */
  @Test
  void noRequestIsLostWhenTheApplicationEnds() throws Exception {
    var context = start();
    String port = port(context);
    Engine engine = context.getBean(Engine.class);
    var answered = new AtomicInteger();
    var underWay = new CountDownLatch(100);
    Callable<Void> caller =
        () -> {
          while (true) {
            try (HttpClient own = HttpClient.newHttpClient()) { // a new connection each time
              var response =
                  own.send(
                      HttpRequest.newBuilder(
                              URI.create("http://127.0.0.1:" + port + "/sum?a=1&b=2"))
                          .build(),
                      BodyHandlers.ofString());
              if (response.statusCode() != 200) { // Tomcat refused it, or the count below is wrong
                return null;
              }
              assertThat(response.body()).isEqualTo("3");
              answered.incrementAndGet();
              underWay.countDown();
            } catch (IOException ended) { // it was not accepted any more
              return null;
            }
          }
        };
    try (ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
      List<Future<Void>> ends = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        ends.add(callers.submit(caller));
      }
      underWay.await();
      var counter = context.getBean(RequestCounter.class);
      context.close();
      for (Future<Void> end : ends) {
        end.get();
      }
      assertThat(answered).hasValue(counter.begun());
      assertThat(engine.isReady()).isFalse();
    }
  }
}
