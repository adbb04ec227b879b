package io.nereid.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.server.LocalServer;
import io.nereid.server.memory.RegionClient.Input;
import io.nereid.server.memory.RegionClient.Output;
import io.nereid.server.memory.RegionClient.Protocol;
import io.nereid.server.memory.RegionClient.Result;
import io.nereid.server.memory.RegionClient.Slice;
import io.nereid.tck.TckModels;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.SharedMemoryObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inputs and outputs in shared memory regions, over both protocols. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class SharedMemoryServerTest {
  private static final int ROW = 64;

  private RegionServer regions;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    regions = new RegionServer(directory);
  }

  @AfterEach
  void stop() {
    regions.close();
  }

  private static byte[] row(int first) {
    int[] values = new int[16];
    Arrays.setAll(values, i -> first + i);
    return Samples.ints(values);
  }

  @ParameterizedTest
  @EnumSource
  void readsInputsFromARegionAndWritesOutputsToOne(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    SharedMemoryObject in = regions.registered(client, "in", row(0));
    in.write(ROW, row(100));
    SharedMemoryObject out = regions.registered(client, "out");

    Result result =
        client.infer(
            "simple",
            List.of(
                Input.in(new Slice("in", 0, ROW), "INPUT0", "INT32", 1, 16),
                Input.in(new Slice("in", ROW, ROW), "INPUT1", "INT32", 1, 16)),
            List.of(
                new Output("OUTPUT0", new Slice("out", 32, ROW)),
                new Output("OUTPUT1", new Slice("out", 1024, 1024))));

    assertThat(result.error()).isEmpty();
    assertThat(out.read(32, 8)).isEqualTo(Samples.ints(100, 102));
    assertThat(out.read(1024, 8)).isEqualTo(Samples.ints(-100, -100));
    assertThat(out.read(1024 + ROW, 4)).containsOnly(0);
  }

  @ParameterizedTest
  @EnumSource
  void mixesRegionsWithTensorsInTheMessage(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    regions.registered(client, "in", row(0));
    SharedMemoryObject out = regions.registered(client, "out");

    Result result =
        client.infer(
            "simple",
            List.of(
                Input.sent(row(5), "INPUT0", "INT32", 1, 16),
                Input.in(new Slice("in", 0, ROW), "INPUT1", "INT32", 1, 16)),
            List.of(new Output("OUTPUT0", new Slice("out", 0, ROW)), new Output("OUTPUT1", null)));

    assertThat(out.read(0, 8)).isEqualTo(Samples.ints(5, 7));
    assertThat(result.output("OUTPUT1")).startsWith(Samples.ints(5, 5)).hasSize(ROW);
  }

  @ParameterizedTest
  @EnumSource
  void readsAndWritesTensorsOfManyBytes(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    byte[] bytes = new byte[(3 << 20) + 1];
    new Random(1).nextBytes(bytes);
    regions.registered(client, "in", bytes);
    SharedMemoryObject out = regions.registered(client, "out", new byte[bytes.length]);

    Result result =
        client.infer(
            "identity_uint8",
            List.of(Input.in(new Slice("in", 0, bytes.length), "INPUT0", "UINT8", bytes.length)),
            List.of(new Output("OUTPUT0", new Slice("out", 0, bytes.length))));

    assertThat(result.error()).isEmpty();
    assertThat(out.read(0, bytes.length)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @EnumSource
  void checksTheElementsOfBytesInARegion(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    byte[] strings = {2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0};
    SharedMemoryObject in = regions.registered(client, "in", strings);
    SharedMemoryObject out = regions.registered(client, "out");
    List<Input> inputs =
        List.of(Input.in(new Slice("in", 0, strings.length), "INPUT0", "BYTES", 2));
    List<Output> outputs = List.of(new Output("OUTPUT0", new Slice("out", 0, RegionServer.SIZE)));

    assertThat(client.infer("identity_bytes", inputs, outputs).error()).isEmpty();
    assertThat(out.read(0, strings.length)).isEqualTo(strings);
    in.write(0, (byte) 3);
    assertThat(client.infer("identity_bytes", inputs, outputs).error()).contains("input 'INPUT0'");
  }

  @ParameterizedTest
  @EnumSource
  void rejectsRegionsThatDoNotFitTheirTensors(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    regions.registered(client, "r", row(0));

    assertThat(simple(client, new Slice("r", 0, 2 * ROW), new Slice("r", 0, ROW)))
        .contains("input byte size mismatch for input 'INPUT0' for model 'simple'.")
        .contains("Expected 64, got 128");
    assertThat(simple(client, new Slice("r", 0, ROW), new Slice("r", 0, ROW - 1)))
        .isEqualTo(
            "shared memory size specified with the request for output 'OUTPUT0' (63 bytes) should"
                + " be at least 64 bytes to hold the results");
    assertThat(simple(client, new Slice("q", 0, ROW), new Slice("r", 0, ROW)))
        .isEqualTo("Unable to find shared memory region: 'q'");
    assertThat(simple(client, new Slice("r", 0, ROW), new Slice("q", 0, ROW)))
        .isEqualTo("Unable to find shared memory region: 'q'");
    assertThat(simple(client, new Slice("r", RegionServer.SIZE, 0), new Slice("r", 0, ROW)))
        .isEqualTo("Invalid offset for shared memory region: 'r'");
    assertThat(simple(client, new Slice("r", 0, ROW), new Slice("r", 1, RegionServer.SIZE)))
        .isEqualTo("Invalid offset + byte size for shared memory region: 'r'");
    client.unregister("");
    assertThat(client.regions()).isEmpty(); // none is in use
  }

  private static String simple(RegionClient client, Slice input, Slice output) {
    return client
        .infer(
            "simple",
            List.of(
                Input.in(input, "INPUT0", "INT32", 1, 16),
                Input.sent(row(0), "INPUT1", "INT32", 1, 16)),
            List.of(new Output("OUTPUT0", output)))
        .error();
  }

  @ParameterizedTest
  @EnumSource
  void writesTheOutputsOfAnEnsemble(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    SharedMemoryObject r = regions.registered(client, "r", new byte[] {1, 2, 3});

    Result result =
        client.infer(
            "pair",
            List.of(Input.in(new Slice("r", 0, 3), "A", "UINT8", 3)),
            List.of(new Output("B", new Slice("r", 1000, 3))));

    assertThat(result.error()).isEmpty();
    assertThat(r.read(1000, 3)).containsExactly(1, 2, 3);
  }

  @ParameterizedTest
  @EnumSource
  void writesACachedResponseToTheRegionOfTheRequestThatItAnswers(Protocol protocol) {
    RegionClient client = protocol.of(regions.server());
    SharedMemoryObject in = regions.registered(client, "in", new byte[] {1, 2, 3});
    SharedMemoryObject out = regions.registered(client, "out");
    List<Input> inputs = List.of(Input.in(new Slice("in", 0, 3), "INPUT0", "UINT8", 3));

    assertThat(cached(client, inputs, 0)).isEmpty();
    assertThat(cached(client, inputs, 10)).isEmpty();
    in.write(0, (byte) 9);
    assertThat(cached(client, inputs, 20)).isEmpty();

    assertThat(out.read(0, 3)).containsExactly(1, 2, 3);
    assertThat(out.read(10, 3)).containsExactly(1, 2, 3);
    assertThat(out.read(20, 3)).containsExactly(9, 2, 3);
  }

  private static String cached(RegionClient client, List<Input> inputs, long offset) {
    return client
        .infer("cached", inputs, List.of(new Output("OUTPUT0", new Slice("out", offset, 3))))
        .error();
  }

  @ParameterizedTest
  @EnumSource
  void registersNothingUnlessTheServerAllowsIt(Protocol protocol, @TempDir Path repository)
      throws IOException {
    TckModels.extractTo(repository);
    try (var closed = new LocalServer(repository)) {
      RegionClient client = protocol.of(closed);

      assertThat(client.regions()).isEmpty();
      assertThatThrownBy(() -> client.register("r", regions.object().key(), 0, RegionServer.SIZE))
          .hasMessageContaining(
              "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to"
                  + " enable.");
      assertThatThrownBy(() -> client.unregister("r")).hasMessageContaining("is disabled");
      assertThat(simple(client, new Slice("r", 0, ROW), new Slice("r", 0, ROW)))
          .isEqualTo("Unable to find shared memory region: 'r'");
    }
  }
}
