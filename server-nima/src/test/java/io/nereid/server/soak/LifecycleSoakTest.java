package io.nereid.server.soak;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.ModelStatisticsRequest;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.protocol.inference.RepositoryModelUnloadRequest;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reloads, changes of instances, unloads and loads under the load of both protocols. Each response
 * tells which release of its model has answered; no request fails but those for a model that is
 * unloaded, or for the ensemble that uses it.
 *
 * <p>{@code -Dnereid.soak.seconds=3600} sets the duration; a table of requests, operations and
 * memory is printed.
 */
class LifecycleSoakTest {
  private static final long SECONDS = Long.getLong("nereid.soak.seconds", 3);

  /** The duration from which the rate and the memory are asserted, and not only printed. */
  private static final long CAMPAIGN_SECONDS = 60;

  private static final long MIN_RATE = 2_000;
  private static final long ROWS = SECONDS >= CAMPAIGN_SECONDS ? 20 : 4;
  private static final long MAX_GROWTH_MIB = 64;
  private static final Pattern LEASES =
      Pattern.compile("^nereid_pool_outstanding_leases ([0-9.]+)$", Pattern.MULTILINE);
  private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  private final Map<String, Timeline> timelines =
      Stream.of(SoakRepository.PLAIN, SoakRepository.MEMBER, SoakRepository.ENSEMBLE)
          .collect(Collectors.toMap(model -> model, _ -> new Timeline("r0")));
  private final SoakRepository repository;
  private final ServerProcess server;
  private final ManagedChannel channel;
  private final GRPCInferenceServiceBlockingStub grpc;
  private final HttpWire http;
  private final HttpWire metrics;

  /** What {@code plain} is at present. */
  private String release = "r0";

  private long version = 1;

  /** What {@code member} is at present. */
  private String memberRelease = "r0";

  private int releases;
  private int reloads;
  private int instanceChanges;
  private int unloads;

  LifecycleSoakTest(@TempDir Path directory) throws IOException, InterruptedException {
    Path models = Files.createDirectory(directory.resolve("models"));
    repository = new SoakRepository(models);
    server =
        ServerProcess.start(
            directory,
            models,
            List.of("-Xms256m", "-XX:+AlwaysPreTouch"), // so that what grows is not the heap
            "--model-control-mode=explicit",
            "--load-model=*");
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
    grpc = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    http = new HttpWire(URI.create("http://127.0.0.1:" + server.httpPort()));
    metrics = new HttpWire(URI.create("http://127.0.0.1:" + server.metricsPort()));
  }

  @BeforeEach
  void printHeader() {
    System.out.println(
        "    s  requests  1/s  reloads  instances  unloads  rejected  leases  RSS MiB");
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    http.close();
    metrics.close();
    server.close();
  }

  @Test
  void noRequestFailsAndNothingLeaksWhileModelsComeAndGo() throws Exception {
    long start = System.nanoTime();
    long rss = 0;
    long warmRequests = 0;
    long warm = start;
    var clients = new SoakClients(server.httpPort(), server.grpcPort(), timelines);
    try (clients) {
      for (long row = 1; row <= ROWS; row++) {
        long end = start + TimeUnit.SECONDS.toNanos(SECONDS) * row / ROWS;
        do {
          changeModels();
        } while (System.nanoTime() - end < 0);
        print(clients, start);
        if (row == ROWS / 4) {
          rss = rssMib();
          warmRequests = clients.requests();
          warm = System.nanoTime();
        }
        assertThat(clients.violations()).isEmpty();
      }
    }
    long rate = (clients.requests() - warmRequests) * 1_000_000_000 / (System.nanoTime() - warm);
    awaitNoLeases();
    print(clients, start);

    assertThat(clients.violations()).isEmpty();
    if (SECONDS >= CAMPAIGN_SECONDS) {
      assertThat(rate).isGreaterThanOrEqualTo(MIN_RATE);
      assertThat(rssMib()).isLessThan(rss + MAX_GROWTH_MIB);
    }
    server.terminate();
    assertThat(server.exitStatus()).isZero();
    assertThat(server.log()).noneMatch(line -> line.contains("never released"));
  }

  private void changeModels() throws IOException {
    reload();
    changeInstances();
    repository.touchGraph();
    loadOverGrpc(SoakRepository.ONNX);
    reload();
    reloadMember();
    reloads++;
    unloadAndLoadMember();
  }

  /** A new release of {@code plain}, of the same version or the next. */
  private void reload() throws IOException {
    release = "r" + ++releases;
    version += releases % 2;
    repository.write(SoakRepository.PLAIN, release, version, 2);
    Timeline timeline = timeline(SoakRepository.PLAIN);
    timeline.begin(Optional.of(release), System.nanoTime());
    loadOverHttp(SoakRepository.PLAIN);
    timeline.end(System.nanoTime());
    reloads++;
  }

  /** Another number of instances of {@code plain}, which keeps its release and its statistics. */
  private void changeInstances() throws IOException {
    repository.instances(SoakRepository.PLAIN, release, 1 + instanceChanges % 4);
    long before = inferences();
    loadOverHttp(SoakRepository.PLAIN);
    assertThat(inferences()).isGreaterThanOrEqualTo(before);
    instanceChanges++;
  }

  private void reloadMember() throws IOException {
    memberRelease = "r" + ++releases;
    repository.write(SoakRepository.MEMBER, memberRelease, 1, 1);
    changeMember(Optional.of(memberRelease), () -> loadOverGrpc(SoakRepository.MEMBER));
    reloads++;
  }

  private void unloadAndLoadMember() {
    changeMember(Optional.empty(), () -> unload(SoakRepository.MEMBER));
    LockSupport.parkNanos(1_000_000); // for requests that find it unloaded
    changeMember(Optional.of(memberRelease), () -> loadOverHttp(SoakRepository.MEMBER));
    unloads++;
  }

  /** Changes {@code member}, and with it the ensemble. */
  private void changeMember(Optional<String> next, Runnable operation) {
    timeline(SoakRepository.MEMBER).begin(next, System.nanoTime());
    timeline(SoakRepository.ENSEMBLE).begin(next, System.nanoTime());
    operation.run();
    timeline(SoakRepository.MEMBER).end(System.nanoTime());
    timeline(SoakRepository.ENSEMBLE).end(System.nanoTime());
  }

  private Timeline timeline(String model) {
    return Optional.ofNullable(timelines.get(model)).orElseThrow();
  }

  private void loadOverHttp(String model) {
    var response =
        http.send(
            "POST", "/v2/repository/models/" + model + "/load", "{}".getBytes(UTF_8), Map.of());
    assertThat(response.status()).as(response.text()).isEqualTo(200);
  }

  private void loadOverGrpc(String model) {
    var _ =
        grpc.repositoryModelLoad(
            RepositoryModelLoadRequest.newBuilder().setModelName(model).build());
  }

  private void unload(String model) {
    var _ =
        grpc.repositoryModelUnload(
            RepositoryModelUnloadRequest.newBuilder().setModelName(model).build());
  }

  private long inferences() {
    var request = ModelStatisticsRequest.newBuilder().setName(SoakRepository.PLAIN).build();
    return grpc.modelStatistics(request).getModelStats(0).getInferenceCount();
  }

  private void print(SoakClients clients, long start) throws IOException {
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        "%5.0f %9d %4.0f %8d %10d %8d %9d %7d %8d%n",
        seconds,
        clients.requests(),
        clients.requests() / seconds,
        reloads,
        instanceChanges,
        unloads,
        clients.rejected(),
        leases(),
        rssMib());
  }

  /** Waits for the leases of responses that clients have received already. */
  private void awaitNoLeases() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (leases() > 0) {
      assertThat(System.nanoTime() - deadline).as("leases: %d", leases()).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  private long leases() {
    String page = metrics.send("GET", "/metrics", new byte[0], Map.of()).text();
    Matcher leases = LEASES.matcher(page);
    assertThat(leases.find()).as(page).isTrue();
    return (long) Double.parseDouble(leases.group(1));
  }

  /** The resident memory of the server; 0 where the system does not tell. */
  private long rssMib() throws IOException {
    Path status = Path.of("/proc", Long.toString(server.pid()), "status");
    if (!Files.exists(status)) {
      return 0;
    }
    Matcher rss = RSS.matcher(Files.readString(status));
    return rss.find() ? Long.parseLong(rss.group(1)) / 1024 : 0;
  }
}
