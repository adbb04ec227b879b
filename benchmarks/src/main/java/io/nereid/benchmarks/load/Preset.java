package io.nereid.benchmarks.load;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A cell of the baseline: a request and the number of requests in flight.
 *
 * @param cell the name in the baseline's tables
 * @param inFlight number of calls or connections
 */
record Preset(String cell, int inFlight, String model, Request request) {
  /** A request in the encoding of a protocol. */
  sealed interface Request permits GrpcRequest, HttpRequest {}

  private static final String OUTPUT0 = "OUTPUT0";
  private static final List<RampTensor> SIMPLE =
      List.of(
          RampTensor.of("INPUT0", RampTensor.Type.INT32, 1L, 16L),
          RampTensor.of("INPUT1", RampTensor.Type.INT32, 1L, 16L));
  private static final List<RampTensor> FLOATS_1024 = ramp(1024L);
  private static final List<RampTensor> FLOATS_588_KIB = ramp(150528L);
  private static final List<RampTensor> MLP = ramp(1L, 784L);
  private static final List<RampTensor> CONVNET = ramp(1L, 3L, 224L, 224L);

  /** All cells in the order of the baseline. */
  static List<Preset> all() {
    var cells = new ArrayList<Preset>();
    add(cells, "grpc simple", "simple", grpc("simple", SIMPLE), 1, 16, 64);
    add(
        cells,
        "grpc identity 588 KiB",
        "identity_fp32",
        grpc("identity_fp32", FLOATS_588_KIB),
        1,
        16);
    add(cells, "http simple json", "simple", json(SIMPLE), 1, 16, 64);
    add(cells, "http simple binary", "simple", binary(SIMPLE, OUTPUT0, "OUTPUT1"), 1, 16, 64);
    add(cells, "http identity json 1024 floats", "identity_fp32", json(FLOATS_1024), 1, 32);
    add(cells, "http identity binary 4 KiB", "identity_fp32", binary(FLOATS_1024, OUTPUT0), 1, 32);
    add(
        cells,
        "http identity binary 588 KiB",
        "identity_fp32",
        binary(FLOATS_588_KIB, OUTPUT0),
        1,
        32);
    add(cells, "grpc mlp", "mlp", grpc("mlp", MLP), 1, 16, 64);
    add(cells, "http mlp binary", "mlp", binary(MLP, OUTPUT0), 1, 16, 64);
    add(cells, "grpc convnet", "convnet", grpc("convnet", CONVNET), 1, 8);
    add(cells, "http convnet binary", "convnet", binary(CONVNET, OUTPUT0), 1, 8);
    return List.copyOf(cells);
  }

  /**
   * The first cell of the baseline with that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Preset named(String cell) {
    return all().stream()
        .filter(preset -> preset.cell().equals(cell))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no preset '" + cell + "'"));
  }

  /** Cells that are measured only if they are named. */
  static List<Preset> besideBaseline() {
    return Stream.of(inRegions(), large()).flatMap(List::stream).toList();
  }

  /**
   * Cells beside the baseline: the input is in the region {@code load_in}, the output goes to
   * {@code load_out}. Both must be registered, with as many bytes as the tensors have.
   */
  static List<Preset> inRegions() {
    var cells = new ArrayList<Preset>();
    var model = "identity_fp32";
    add(
        cells,
        "grpc identity 588 KiB in regions",
        model,
        GrpcRequest.inRegions(model, FLOATS_588_KIB, OUTPUT0),
        1,
        16);
    add(
        cells,
        "http identity 588 KiB in regions",
        model,
        HttpRequest.inRegions(FLOATS_588_KIB, OUTPUT0),
        1,
        32);
    return List.copyOf(cells);
  }

  /** Cells beside the baseline: tensors of 1, 4 and 16 MiB over gRPC. */
  static List<Preset> large() {
    var cells = new ArrayList<Preset>();
    for (long mebibytes : new long[] {1, 4, 16}) {
      add(
          cells,
          "grpc identity %d MiB".formatted(mebibytes),
          "identity_fp32",
          grpc("identity_fp32", ramp((mebibytes << 20) / Float.BYTES)),
          1,
          4);
    }
    return List.copyOf(cells);
  }

  /** This cell with another number of requests in flight. */
  Preset with(int inFlight) {
    return new Preset(cell, inFlight, model, request);
  }

  /** The number of HTTP/2 connections, as in the baseline. */
  int grpcConnections() {
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

  private static void add(
      List<Preset> cells, String cell, String model, Request request, int... inFlight) {
    for (int n : inFlight) {
      cells.add(new Preset(cell, n, model, request));
    }
  }

  private static List<RampTensor> ramp(Long... shape) {
    return List.of(RampTensor.of("INPUT0", RampTensor.Type.FP32, shape));
  }

  private static Request grpc(String model, List<RampTensor> inputs) {
    return GrpcRequest.of(model, inputs);
  }

  private static Request json(List<RampTensor> inputs) {
    return HttpRequest.json(inputs);
  }

  private static Request binary(List<RampTensor> inputs, String... outputs) {
    return HttpRequest.binary(inputs, outputs);
  }
}
