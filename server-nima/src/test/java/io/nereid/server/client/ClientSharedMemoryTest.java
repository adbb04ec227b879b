package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.client.DataType;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import io.nereid.client.memory.SharedMemory;
import io.nereid.client.memory.SharedSlice;
import io.nereid.client.model.RegisteredRegion;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerCommand;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tensors of the client in memory that a server maps or reads. With the system property {@code
 * tck.server} it is another server ({@link ServerCommand}).
 */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class ClientSharedMemoryTest {
  private static final int INTS = 16;
  private static final long BYTES = INTS * Integer.BYTES;

  private static ServerUnderTest server;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    TckModels.extractTo(models);
    server =
        ServerCommand.ofProperty().isPresent()
            ? ServerCommand.ofProperty()
                .orElseThrow()
                .startServer(ModelControlMode.NONE, List.of(models), List.of())
                .orElseThrow()
            : own(models);
  }

  private static ServerUnderTest own(Path models) throws IOException {
    var local =
        new LocalServer(
            LocalServer.options(models, "--allow-client-shm=true"), new CheckedBufferPool());
    return new ServerUnderTest(local.http(), "127.0.0.1", local.grpcPort(), local::close);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static NereidClient connect(String protocol) {
    return NereidClient.connect(
        protocol.equals("http")
            ? server.http().toString()
            : "grpc://%s:%d".formatted(server.grpcHost(), server.grpcPort()));
  }

  private static List<String> regions(NereidClient client) {
    return client.regions().system().stream().map(RegisteredRegion::name).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aRequestIsMadeOnceAndSentWithWhatIsInTheSlices(String protocol) {
    try (NereidClient client = connect(protocol);
        SharedMemory memory = SharedMemory.create(client, 4 * BYTES)) {
      SharedSlice a = memory.slice(BYTES);
      SharedSlice b = memory.slice(BYTES);
      SharedSlice sum = memory.slice(BYTES);
      SharedSlice difference = memory.slice(BYTES);
      InferRequest request =
          InferRequest.to("simple")
              .input("INPUT0", a.tensor(DataType.INT32, 1, INTS))
              .input("INPUT1", b.tensor(DataType.INT32, 1, INTS))
              .output(sum.output("OUTPUT0"))
              .output(difference.output("OUTPUT1"))
              .build();
      for (int round = 1; round < 4; round++) {
        a.buffer().asIntBuffer().put(IntStream.range(0, INTS).toArray());
        b.buffer().putInt((INTS - 1) * Integer.BYTES, round);

        InferResponse response = client.infer(request);

        assertThat(sum.read(response.output("OUTPUT0")).ints()[INTS - 1])
            .isEqualTo(INTS - 1 + round);
        assertThat(difference.read(response.output("OUTPUT1")).ints()[INTS - 1])
            .isEqualTo(INTS - 1 - round);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void stringsTravelToo(String protocol) {
    try (NereidClient client = connect(protocol);
        SharedMemory memory = SharedMemory.create(client, 200)) {
      SharedSlice in = memory.slice(64);
      SharedSlice out = memory.slice(100);
      Tensor words = in.write(Tensor.of(new String[] {"good", "", "mörning"}));

      InferResponse response =
          client.infer(
              InferRequest.to("identity_bytes")
                  .input("INPUT0", words)
                  .output(out.output("OUTPUT0"))
                  .build());

      assertThat(out.read(response.output("OUTPUT0")).strings())
          .containsExactly("good", "", "mörning");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void anOutputThatIsLargerThanItsSliceIsRefused(String protocol) {
    try (NereidClient client = connect(protocol);
        SharedMemory memory = SharedMemory.create(client, 1000)) {
      SharedSlice in = memory.slice(8);
      SharedSlice out = memory.slice(7);
      InferRequest request =
          InferRequest.to("identity_int32")
              .input("INPUT0", in.tensor(DataType.INT32, 2))
              .output(out.output("OUTPUT0"))
              .build();

      NereidException failure =
          catchThrowableOfType(NereidException.class, () -> client.infer(request));

      assertThat(failure).isNotNull();
      assertThat(failure.code()).isIn(ErrorCode.INVALID_ARGUMENT, ErrorCode.INTERNAL);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void theServerKnowsTheRegionUntilItIsClosed(String protocol) {
    try (NereidClient client = connect(protocol)) {
      SharedMemory memory = SharedMemory.create(client, 4097);
      assertThat(regions(client)).contains(memory.name());

      memory.close();

      assertThat(regions(client)).doesNotContain(memory.name());
    }
  }

  @Test
  void manyThreadsUseSlicesOfTheirOwnOverBothTransports() {
    try (NereidClient rest = connect("http");
        NereidClient grpc = connect("grpc");
        SharedMemory memory = SharedMemory.create(rest, 2 * 8 * BYTES)) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        int first = 1000 * i;
        NereidClient client = i % 2 == 0 ? rest : grpc;
        all.add(CompletableFuture.runAsync(() -> echo(client, memory, first)));
      }
      all.forEach(CompletableFuture::join);
      assertThatThrownBy(() -> memory.slice(1)).isInstanceOf(NereidException.class);
    }
  }

  private static void echo(NereidClient client, SharedMemory memory, int first) {
    SharedSlice in = memory.slice(BYTES);
    SharedSlice out = memory.slice(BYTES);
    InferRequest request =
        InferRequest.to("identity_int32")
            .input("INPUT0", in.tensor(DataType.INT32, INTS))
            .output(out.output("OUTPUT0"))
            .build();
    for (int i = 0; i < 50; i++) {
      int[] values = IntStream.range(first + i, first + i + INTS).toArray();
      in.buffer().asIntBuffer().put(values);
      assertThat(out.read(client.infer(request).output("OUTPUT0")).ints()).containsExactly(values);
    }
  }

  @Test
  void aServerThatWasStartedAgainSaysThatItDoesNotKnowTheRegion(
      @TempDir Path folder, @TempDir Path models) throws Exception {
    TckModels.extractTo(models);
    String[] options = {"--allow-client-shm=true", "--model-control-mode=explicit"};
    String model = "--load-model=identity_int32";
    ServerProcess first = ServerProcess.start(folder, models, options[0], options[1], model);
    NereidClient client = NereidClient.connect("http://127.0.0.1:" + first.httpPort());
    SharedMemory memory = SharedMemory.create(client, 128);
    SharedSlice slice = memory.slice(BYTES);
    InferRequest request =
        InferRequest.to("identity_int32").input("INPUT0", slice.tensor(DataType.INT32, 1)).build();
    slice.buffer().putInt(0, 7);
    assertThat(client.infer(request).output("OUTPUT0").ints()).containsExactly(7);

    first.close(); // SIGKILL
    assertThat(code(() -> client.infer(request))).isEqualTo(ErrorCode.UNAVAILABLE);
    slice.buffer().putInt(0, 8); // is still this program's
    assertThat(code(memory::close)).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThatThrownBy(() -> slice.buffer().getInt(0)).isInstanceOf(IllegalStateException.class);
    client.close();

    try (ServerProcess second = ServerProcess.start(folder, models, options[0], options[1], model);
        NereidClient again = NereidClient.connect("http://127.0.0.1:" + second.httpPort());
        SharedMemory anew = SharedMemory.create(again, 128)) {
      assertThat(code(() -> again.infer(request))).isEqualTo(ErrorCode.NOT_FOUND);
      SharedSlice other = anew.slice(BYTES);
      other.buffer().putInt(0, 9);
      InferResponse response =
          again.infer(
              InferRequest.to("identity_int32")
                  .input("INPUT0", other.tensor(DataType.INT32, 1))
                  .build());
      assertThat(response.output("OUTPUT0").ints()).containsExactly(9);
    }
  }

  private static ErrorCode code(Runnable call) {
    NereidException failure = catchThrowableOfType(NereidException.class, call::run);
    assertThat(failure).isNotNull();
    return failure.code();
  }
}
