package io.nereid.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.memory.RegionClient.Input;
import io.nereid.server.memory.RegionClient.Output;
import io.nereid.server.memory.RegionClient.Protocol;
import io.nereid.server.memory.RegionClient.Result;
import io.nereid.server.memory.RegionClient.Slice;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.SharedMemoryObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Regions while requests use them, some of which clients unregister or truncate meanwhile. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class SharedMemoryInUseTest {
  private RegionServer regions;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    regions = new RegionServer(directory);
  }

  @AfterEach
  void stop() {
    regions.close();
  }

  private static CompletableFuture<Result> later(
      RegionClient client, String model, List<Input> inputs, List<Output> outputs) {
    return CompletableFuture.supplyAsync(
        () -> client.infer(model, inputs, outputs), task -> Thread.ofVirtual().start(task));
  }

  private static List<Input> gatedInput(String region) {
    return List.of(Input.in(new Slice(region, 0, 4), "IN0", "UINT8", 1, 4));
  }

  private static List<Output> gatedOutput(String region) {
    return List.of(new Output("OUT0", new Slice(region, 0, 4)));
  }

  @ParameterizedTest
  @EnumSource
  void unregistersARegionOnceTheRequestThatUsesItHasEnded(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    regions.registered(client, "in", new byte[] {1, 2, 3, 4});
    SharedMemoryObject out = regions.registered(client, "out");
    var result = later(client, "gated", gatedInput("in"), gatedOutput("out"));
    regions.gate().awaitBegun(1);

    client.unregister("");
    assertThat(client.regions()).containsExactly("in", "out");
    SharedMemoryObject next = regions.registered(client, "out");
    regions.gate().openAll();

    assertThat(result).succeedsWithin(60, TimeUnit.SECONDS).matches(r -> r.error().isEmpty());
    assertThat(out.read(0, 4)).containsExactly(1, 2, 3, 4);
    assertThat(next.read(0, 4)).containsOnly(0);
    assertThat(client.regions()).containsExactly("out");
  }

  @ParameterizedTest
  @EnumSource
  void anObjectThatIsTruncatedDuringARequestHarmsNoOther(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    SharedMemoryObject in = regions.registered(client, "in", new byte[] {1, 2, 3, 4});
    SharedMemoryObject out = regions.registered(client, "out");
    SharedMemoryObject other = regions.registered(client, "other");
    var result = later(client, "gated", gatedInput("in"), gatedOutput("out"));
    regions.gate().awaitBegun(1);

    in.truncate(0);
    out.truncate(0);
    regions.gate().openAll();

    assertThat(result)
        .succeedsWithin(60, TimeUnit.SECONDS)
        .extracting(Result::error)
        .asString()
        .isEqualTo(
            "shared memory region 'out' can not be written: its object '%s' has become smaller than"
                + " the region",
            out.key());
    assertThat(client.infer("gated", gatedInput("in"), gatedOutput("other")).error())
        .isEqualTo(
            "shared memory region 'in' can not be read: its object '%s' has become smaller than the"
                + " region",
            in.key());
    assertThat(out.byteSize()).isZero();
    assertThat(client.infer("gated", gatedInput("other"), gatedOutput("other")).error()).isEmpty();
    assertThat(other.byteSize()).isEqualTo(RegionServer.SIZE);
  }

  @ParameterizedTest
  @EnumSource
  void writesTheOutputsOfABatchToTheRegionsOfItsRequests(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    SharedMemoryObject first = regions.registered(client, "first", new byte[] {1, 2, 3, 4});
    SharedMemoryObject second = regions.registered(client, "second", new byte[] {5, 6, 7, 8});
    Gate.of("pairs").openAll();
    var one = later(client, "pairs", gatedInput("first"), outputAt("first"));
    var two = later(client, "pairs", gatedInput("second"), outputAt("second"));

    assertThat(one).succeedsWithin(60, TimeUnit.SECONDS).matches(r -> r.error().isEmpty());
    assertThat(two).succeedsWithin(60, TimeUnit.SECONDS).matches(r -> r.error().isEmpty());
    assertThat(Gate.of("pairs").executions()).hasSize(1);
    assertThat(first.read(100, 4)).containsExactly(1, 2, 3, 4);
    assertThat(second.read(100, 4)).containsExactly(5, 6, 7, 8);
  }

  private static List<Output> outputAt(String region) {
    return List.of(new Output("OUT0", new Slice(region, 100, 4)));
  }
}
