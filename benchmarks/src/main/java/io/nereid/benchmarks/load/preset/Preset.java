package io.nereid.benchmarks.load.preset;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A cell of the baseline: a request and the number of requests in flight.
 *
 * @param cell the name in the baseline's tables
 * @param inFlight number of calls or connections
 * @param encoding encodes the request, which may have 16 MiB
 */
public record Preset(String cell, int inFlight, String model, Supplier<Request> encoding) {
  /** A request in the encoding of a protocol. */
  public sealed interface Request permits GrpcRequest, RestRequest {}

  private static final String IDENTITY = "identity_fp32";
  private static final List<RampTensor> SIMPLE =
      List.of(
          RampTensor.of("INPUT0", RampTensor.Type.INT32, 1L, 16L),
          RampTensor.of("INPUT1", RampTensor.Type.INT32, 1L, 16L));
  private static final List<RampTensor> FLOATS_1024 = ramp(1024L);
  private static final List<RampTensor> FLOATS_588_KIB = ramp(150528L);
  private static final List<RampTensor> MLP = ramp(1L, 784L);
  private static final List<RampTensor> CONVNET = ramp(1L, 3L, 224L, 224L);

  /** All cells in the order of the baseline. */
  public static List<Preset> all() {
    return Stream.of(
            grpc("grpc simple", "simple", SIMPLE, 1, 16, 64),
            grpc("grpc identity 588 KiB", IDENTITY, FLOATS_588_KIB, 1, 16),
            json("http simple json", "simple", SIMPLE, 1, 16, 64),
            binary("http simple binary", "simple", SIMPLE, 1, 16, 64),
            json("http identity json 1024 floats", IDENTITY, FLOATS_1024, 1, 32),
            binary("http identity binary 4 KiB", IDENTITY, FLOATS_1024, 1, 32),
            binary("http identity binary 588 KiB", IDENTITY, FLOATS_588_KIB, 1, 32),
            grpc("grpc mlp", "mlp", MLP, 1, 16, 64),
            binary("http mlp binary", "mlp", MLP, 1, 16, 64),
            grpc("grpc convnet", "convnet", CONVNET, 1, 8),
            binary("http convnet binary", "convnet", CONVNET, 1, 8))
        .flatMap(cells -> cells)
        .toList();
  }

  /**
   * The first cell of the baseline with that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Preset named(String cell) {
    return all().stream()
        .filter(preset -> preset.cell().equals(cell))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no preset '" + cell + "'"));
  }

  /** Cells that are measured only if they are named. */
  public static List<Preset> besideBaseline() {
    return Stream.of(inRegions(), large()).flatMap(List::stream).toList();
  }

  /**
   * Cells beside the baseline: the input is in the region {@code load_in}, the output goes to
   * {@code load_out}. Both must be registered, with as many bytes as the tensors have.
   */
  static List<Preset> inRegions() {
    var grpc = GrpcRequest.inRegions(IDENTITY, FLOATS_588_KIB, "OUTPUT0");
    var http = RestRequest.inRegions(FLOATS_588_KIB, "OUTPUT0");
    return Stream.concat(
            cells("grpc identity 588 KiB in regions", IDENTITY, () -> grpc, 1, 16),
            cells("http identity 588 KiB in regions", IDENTITY, () -> http, 1, 32))
        .toList();
  }

  /** Cells beside the baseline: tensors of 1, 4 and 16 MiB over gRPC. */
  static List<Preset> large() {
    return LongStream.of(1, 4, 16)
        .boxed()
        .flatMap(mebibytes ->
            grpc(
                "grpc identity %d MiB".formatted(mebibytes),
                IDENTITY,
                ramp((mebibytes << 20) / Float.BYTES),
                1,
                4))
        .toList();
  }

  /** This cell with another number of requests in flight. */
  public Preset with(int inFlight) {
    return new Preset(cell, inFlight, model, encoding);
  }

  public Request request() {
    return encoding.get();
  }

  /** The number of HTTP/2 connections, as in the baseline. */
  public int grpcConnections() {
    if (inFlight == 1) {
      return 1;
    }
    if (inFlight <= 8) {
      return 2;
    }
    return inFlight <= 32 ? 4 : 8;
  }

  /** Name and number, the text that {@code --only} matches. */
  @Override
  public String toString() {
    return cell + " " + inFlight;
  }

  private static Stream<Preset> cells(
      String cell, String model, Supplier<Request> encoding, int... inFlight) {
    return IntStream.of(inFlight).mapToObj(n -> new Preset(cell, n, model, encoding));
  }

  private static Stream<Preset> grpc(
      String cell, String model, List<RampTensor> inputs, int... inFlight) {
    return cells(cell, model, () -> GrpcRequest.of(model, inputs), inFlight);
  }

  private static Stream<Preset> json(
      String cell, String model, List<RampTensor> inputs, int... inFlight) {
    return cells(cell, model, () -> RestRequest.json(inputs), inFlight);
  }

  private static Stream<Preset> binary(
      String cell, String model, List<RampTensor> inputs, int... inFlight) {
    return cells(cell, model, () -> RestRequest.binary(inputs), inFlight);
  }

  private static List<RampTensor> ramp(Long... shape) {
    return List.of(RampTensor.of("INPUT0", RampTensor.Type.FP32, shape));
  }
}
