package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.client.ClientBuilder;
import io.nereid.client.DataType;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Sequence;
import io.nereid.client.Tensor;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Inferences by the client, over all ways to this server. */
@Timeout(60)
class ClientInferTest {
  private static LocalServer server;

  /** How a client reaches the server. */
  enum Way {
    REST,
    REST_JSON,
    REST_GZIP,
    GRPC,
    GRPC_GZIP;

    NereidClient open() {
      ClientBuilder rest = NereidClient.builder(server.http().toString());
      ClientBuilder grpc = NereidClient.builder("grpc://127.0.0.1:" + server.grpcPort());
      return switch (this) {
        case REST -> rest.open();
        case REST_JSON -> rest.jsonTensors().open();
        case REST_GZIP -> rest.gzip().open();
        case GRPC -> grpc.open();
        case GRPC_GZIP -> grpc.gzip().open();
      };
    }
  }

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    TckModels.extractTo(models);
    server = new LocalServer(models);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static InferRequest.Builder sums(int first, int second) {
    int[] a = IntStream.generate(() -> first).limit(16).toArray();
    int[] b = IntStream.generate(() -> second).limit(16).toArray();
    return InferRequest.to("simple")
        .input("INPUT0", Tensor.of(a, 1, 16))
        .input("INPUT1", Tensor.of(b, 1, 16));
  }

  @ParameterizedTest
  @EnumSource
  void outputsComeByName(Way way) {
    try (NereidClient client = way.open()) {
      InferResponse response = client.infer(sums(3, 4).id("seven").build());

      assertThat(response.output("OUTPUT0").ints()).hasSize(16).containsOnly(7);
      assertThat(response.output("OUTPUT1").ints()).hasSize(16).containsOnly(-1);
      assertThat(response.output("OUTPUT0").shape()).containsExactly(1, 16);
      assertThat(response.model()).isEqualTo("simple");
      assertThat(response.version()).isEqualTo("1");
      assertThat(response.id()).isEqualTo("seven");
    }
  }

  @ParameterizedTest
  @EnumSource
  void manyCallsAreInFlightAtOnce(Way way) {
    try (NereidClient client = way.open()) {
      List<CompletableFuture<InferResponse>> calls =
          IntStream.range(0, 100).mapToObj(i -> client.inferAsync(sums(i, 1).build())).toList();

      assertThat(calls)
          .extracting(call -> call.join().output("OUTPUT0").ints()[15])
          .containsExactlyElementsOf(IntStream.rangeClosed(1, 100).boxed().toList());
    }
  }

  private static ByteBuffer bytes(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length);
    for (int value : values) {
      bytes.put((byte) value);
    }
    return bytes.flip();
  }

  static Stream<Tensor> tensors() {
    return Stream.of(
        Tensor.of(new boolean[] {true, false}),
        Tensor.of(DataType.UINT8, new byte[] {0, 127, -1}),
        Tensor.of(DataType.UINT16, new short[] {0, 1, -1}),
        Tensor.of(DataType.UINT32, new int[] {0, 1, -1}),
        Tensor.of(DataType.UINT64, new long[] {0, Long.MAX_VALUE, -1}),
        Tensor.of(new byte[] {Byte.MIN_VALUE, 127}),
        Tensor.of(new short[] {Short.MIN_VALUE, Short.MAX_VALUE}),
        Tensor.of(new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE}),
        Tensor.of(new long[] {Long.MIN_VALUE, Long.MAX_VALUE}),
        Tensor.of(new float[] {0.1f, -0f, Float.MAX_VALUE, Float.NaN, Float.NEGATIVE_INFINITY}),
        Tensor.of(new double[] {0.1, -0.0, Double.MIN_VALUE, Double.POSITIVE_INFINITY}),
        Tensor.of(new String[] {"", "a", "ü€😀", "a\0b\"\\\n"}),
        Tensor.of(new float[0]),
        Tensor.of(new String[0]));
  }

  @ParameterizedTest
  @MethodSource("tensors")
  void tensorsComeBackAsTheyWent(Tensor tensor) {
    for (Way way : Way.values()) {
      try (NereidClient client = way.open()) {
        assertThat(echo(client, tensor).data()).as(way.name()).isEqualTo(tensor.data());
      }
    }
  }

  private static Tensor echo(NereidClient client, Tensor tensor) {
    String model = "identity_" + tensor.dataType().name().toLowerCase(Locale.ROOT);
    InferResponse response =
        client.infer(InferRequest.to(model).input("INPUT0", tensor).outputs("OUTPUT0").build());
    assertThat(response.output("OUTPUT0").shape()).isEqualTo(tensor.shape());
    assertThat(response.output("OUTPUT0").dataType()).isEqualTo(tensor.dataType());
    return response.output("OUTPUT0");
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REST_JSON")
  void halfFloatsAndStringsOfAnyBytesTravelInBinary(Way way) {
    try (NereidClient client = way.open()) {
      float[] values = {1, -2.5f, 65504, 0x1p-24f};
      float[] wide = {1, -2.5f, 0x1.fep127f, 0x1p-126f};

      assertThat(echo(client, Tensor.of(DataType.FP16, values)).floats()).containsExactly(values);
      assertThat(echo(client, Tensor.of(DataType.BF16, wide)).floats()).containsExactly(wide);
      byte[][] strings = {{(byte) 0xff, 0}, {}};
      assertThat(echo(client, Tensor.of(strings)).byteStrings()).isDeepEqualTo(strings);
    }
  }

  @Test
  void halfFloatsAreRefusedAsJson() {
    try (NereidClient client = Way.REST_JSON.open()) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> echo(client, Tensor.of(DataType.FP16, new float[] {1})))
          .withMessageContaining("the input 'INPUT0' is FP16, which JSON cannot carry")
          .returns(ErrorCode.UNIMPLEMENTED, NereidException::code);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFailureSaysWhatWasAskedAndWhatTheServerSaid(Way way) {
    try (NereidClient client = way.open()) {
      NereidException failure =
          catchThrowableOfType(
              NereidException.class,
              () -> client.infer(InferRequest.to("no_such").id("7").build()));

      assertThat(failure.code()).isEqualTo(ErrorCode.NOT_FOUND);
      assertThat(failure.sentence()).contains("Request for unknown model: 'no_such' is not found");
      assertThat(failure.asked()).startsWith("infer of model 'no_such' (id '7') at ");
      assertThat(failure.getMessage()).contains(client.address()).endsWith("(NOT_FOUND)");
      assertThat(failure.mayHaveRun()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWrongRequestIsRefusedOnceOverAllWays(Way way) {
    try (NereidClient client = way.open()) {
      InferRequest wrong =
          InferRequest.to("simple").input("INPUT0", Tensor.of(new int[16], 1, 16)).build();

      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(() -> client.inferAsync(wrong).join())
          .havingCause()
          .isInstanceOf(NereidException.class)
          .withMessageContaining("expected 2 inputs but got 1 inputs for model 'simple'");
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.infer(wrong))
          .returns(ErrorCode.INVALID_ARGUMENT, NereidException::code);
    }
  }

  @ParameterizedTest
  @EnumSource
  void classesAreAskedForByOutput(Way way) {
    try (NereidClient client = way.open()) {
      InferRequest request =
          InferRequest.to("batched_fp32")
              .input("INPUT0", Tensor.of(new float[] {1, 3, 2}, 1, 3))
              .classify("OUTPUT0", 2)
              .build();

      assertThat(client.infer(request).output("OUTPUT0").strings())
          .containsExactly("3.000000:1", "2.000000:2");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aVersionIsAskedFor(Way way) {
    try (NereidClient client = way.open()) {
      InferRequest.Builder request =
          InferRequest.to("two_versions").input("INPUT0", Tensor.of(new int[] {1}));

      assertThat(client.infer(request.version(1).build()).version()).isEqualTo("1");
      assertThat(client.infer(request.version(3).build()).version()).isEqualTo("3");
    }
  }

  @ParameterizedTest
  @EnumSource
  void largeTensorsTravelInPieces(Way way) {
    try (NereidClient client = way.open()) {
      float[] values = new float[1_000_003];
      for (int i = 0; i < values.length; i++) {
        values[i] = i % 1000;
      }

      assertThat(echo(client, Tensor.of(values)).floats()).isEqualTo(values);
    }
  }

  @Test
  void onlyTheOutputsThatAreAskedForCome() {
    for (Way way : Way.values()) {
      try (NereidClient client = way.open()) {
        InferResponse response = client.infer(sums(1, 1).outputs("OUTPUT1").build());

        assertThat(response.outputs()).containsOnlyKeys("OUTPUT1");
        assertThatExceptionOfType(IllegalArgumentException.class)
            .isThrownBy(() -> response.output("OUTPUT0"))
            .withMessage("model 'simple' answered without an output 'OUTPUT0'; it has [OUTPUT1]");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSequenceKeepsItsStateUntilItsEnd(Way way) {
    try (NereidClient client = way.open()) {
      Sequence sequence = client.sequence("sequence_echo", 42);
      InferRequest request =
          sequence.request().input("INPUT0", Tensor.of(new int[] {5}, 1, 1)).build();

      assertThat(sequence.infer(request).output("OUTPUT0").ints()).containsExactly(5);
      assertThat(sequence.infer(request).output("OUTPUT0").ints()).containsExactly(5);
      assertThat(sequence.finish(request).output("OUTPUT0").ints()).containsExactly(5);
      assertThat(client.sequence("sequence_echo", 42).finish(request).outputs()).hasSize(1);
    }
  }

  @Test
  void aDirectBufferIsSentAsItIs() {
    for (Way way : Way.values()) {
      try (NereidClient client = way.open()) {
        ByteBuffer direct =
            ByteBuffer.allocateDirect(5).put(bytes(9, 1, 2, 3, 9)).position(1).limit(4);

        Tensor echoed = echo(client, Tensor.wrap(DataType.UINT8, direct, 3));

        assertThat(echoed.byteValues()).containsExactly(1, 2, 3);
        assertThat(direct.position()).isEqualTo(1);
      }
    }
  }
}
