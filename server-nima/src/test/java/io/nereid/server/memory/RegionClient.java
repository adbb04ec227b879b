package io.nereid.server.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.nereid.protocol.inference.CudaSharedMemoryRegisterRequest;
import io.nereid.protocol.inference.CudaSharedMemoryStatusRequest;
import io.nereid.protocol.inference.CudaSharedMemoryUnregisterRequest;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.SystemSharedMemoryRegisterRequest;
import io.nereid.protocol.inference.SystemSharedMemoryStatusRequest;
import io.nereid.protocol.inference.SystemSharedMemoryUnregisterRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A client that has tensors in shared memory regions, over either protocol. */
public interface RegionClient {
  /** The protocol that a client uses. */
  enum Protocol {
    HTTP,
    GRPC;

    public RegionClient of(LocalServer server) {
      return switch (this) {
        case HTTP -> new OverHttp(server);
        case GRPC -> new OverGrpc(server);
      };
    }
  }

  /** A part of a region. */
  record Slice(String region, long offset, long byteSize) {}

  /**
   * An input.
   *
   * @param slice where its bytes are; null if they are sent
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Input(String name, String dataType, long[] shape, @Nullable Slice slice, byte[] data) {
    public static Input in(Slice slice, String name, String dataType, long... shape) {
      return new Input(name, dataType, shape, slice, new byte[0]);
    }

    static Input sent(byte[] data, String name, String dataType, long... shape) {
      return new Input(name, dataType, shape, null, data);
    }
  }

  /**
   * A requested output.
   *
   * @param slice where its bytes shall go; null for the response
   */
  record Output(String name, @Nullable Slice slice) {}

  /**
   * An outcome.
   *
   * @param error empty if the request has succeeded
   * @param data the bytes of the outputs that the response has; none for those in a region
   */
  record Result(String error, Map<String, byte[]> data) {
    byte[] output(String name) {
      return assertThat(data).as(error).extractingByKey(name).actual();
    }
  }

  void register(String name, String key, long offset, long byteSize);

  /**
   * Unregisters a region.
   *
   * @param name empty for all
   */
  void unregister(String name);

  /** The names of the system regions. */
  List<String> regions();

  void registerCuda(String name, byte[] handle, long gpu, long byteSize);

  /**
   * Unregisters a CUDA region.
   *
   * @param name empty for all
   */
  void unregisterCuda(String name);

  /** The CUDA regions: name, GPU and size, with blanks between them. */
  List<String> cudaRegions();

  Result infer(String model, List<Input> inputs, List<Output> outputs);

  /** A client of the REST protocol, with a connection for each request. */
  record OverHttp(LocalServer server) implements RegionClient {
    private HttpWire.Response send(
        String method, String target, byte[] body, Map<String, String> headers) {
      try (var wire = new HttpWire(server.http())) {
        return wire.send(method, "/v2/" + target, body, headers);
      }
    }

    private HttpWire.Response ok(String method, String target, String body) {
      HttpWire.Response response = send(method, target, body.getBytes(UTF_8), Map.of());
      assertThat(response.status()).as(response.text()).isEqualTo(200);
      return response;
    }

    @Override
    public void register(String name, String key, long offset, long byteSize) {
      var _ =
          ok(
              "POST",
              "systemsharedmemory/region/" + name + "/register",
              "{\"key\":\"%s\",\"offset\":%d,\"byte_size\":%d}".formatted(key, offset, byteSize));
    }

    @Override
    public void unregister(String name) {
      String region = name.isEmpty() ? "" : "region/" + name + "/";
      var _ = ok("POST", "systemsharedmemory/" + region + "unregister", "");
    }

    @Override
    public List<String> regions() {
      Object listed = Json.parse(ok("GET", "systemsharedmemory/status", "").body());
      return ((List<?>) listed)
          .stream().map(region -> Json.member(region, "name").toString()).toList();
    }

    @Override
    public void registerCuda(String name, byte[] handle, long gpu, long byteSize) {
      var _ =
          ok(
              "POST",
              "cudasharedmemory/region/" + name + "/register",
              "{\"raw_handle\":{\"b64\":\"%s\"},\"device_id\":%d,\"byte_size\":%d}"
                  .formatted(Base64.getEncoder().encodeToString(handle), gpu, byteSize));
    }

    @Override
    public void unregisterCuda(String name) {
      String region = name.isEmpty() ? "" : "region/" + name + "/";
      var _ = ok("POST", "cudasharedmemory/" + region + "unregister", "");
    }

    @Override
    public List<String> cudaRegions() {
      Object listed = Json.parse(ok("GET", "cudasharedmemory/status", "").body());
      return ((List<?>) listed)
          .stream()
              .map(region ->
                  "%s %s %s"
                      .formatted(
                          Json.member(region, "name"),
                          Json.member(region, "device_id"),
                          Json.member(region, "byte_size")))
              .toList();
    }

    @Override
    public Result infer(String model, List<Input> inputs, List<Output> outputs) {
      String json =
          "{\"inputs\":[%s],\"outputs\":[%s]}"
              .formatted(
                  inputs.stream().map(OverHttp::json).collect(Collectors.joining(",")),
                  outputs.stream().map(OverHttp::json).collect(Collectors.joining(",")));
      var body = new ByteArrayOutputStream();
      body.writeBytes(json.getBytes(UTF_8));
      inputs.forEach(input -> body.writeBytes(input.data()));
      HttpWire.Response response =
          send(
              "POST",
              "models/" + model + "/infer",
              body.toByteArray(),
              Map.of("Inference-Header-Content-Length", Integer.toString(json.length())));
      return result(response);
    }

    private static String json(Input input) {
      return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,\"parameters\":%s}"
          .formatted(
              input.name(),
              input.dataType(),
              Arrays.toString(input.shape()),
              input.slice() == null
                  ? "{\"binary_data_size\":" + input.data().length + "}"
                  : json(input.slice()));
    }

    private static String json(Output output) {
      return "{\"name\":\"%s\",\"parameters\":%s}"
          .formatted(
              output.name(),
              output.slice() == null ? "{\"binary_data\":true}" : json(output.slice()));
    }

    private static String json(Slice slice) {
      return "{\"shared_memory_region\":\"%s\",\"shared_memory_offset\":%d,\"shared_memory_byte_size\":%d}"
          .formatted(slice.region(), slice.offset(), slice.byteSize());
    }

    private static Result result(HttpWire.Response response) {
      if (response.status() != 200) {
        return new Result((String) Json.member(Json.parse(response.body()), "error"), Map.of());
      }
      String length = response.header("Inference-Header-Content-Length");
      int next = length.isEmpty() ? response.body().length : Integer.parseInt(length);
      Object head = Json.parse(Arrays.copyOf(response.body(), next));
      Map<String, byte[]> data = new TreeMap<>();
      for (Object output : Json.list(head, "outputs")) {
        Map<?, ?> members = Json.object(output);
        if (members.containsKey("parameters")) {
          var size = (BigDecimal) Json.member(members.get("parameters"), "binary_data_size");
          int end = next + size.intValueExact();
          data.put(
              (String) Json.member(output, "name"), Arrays.copyOfRange(response.body(), next, end));
          next = end;
        } else {
          assertThat(members.keySet()).asString().isEqualTo("[name, datatype, shape]");
        }
      }
      assertThat(next).isEqualTo(response.body().length);
      return new Result("", data);
    }
  }

  /** A client of the gRPC protocol. */
  record OverGrpc(LocalServer server) implements RegionClient {
    private GRPCInferenceServiceBlockingStub stub() {
      return GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
    }

    @Override
    public void register(String name, String key, long offset, long byteSize) {
      var _ =
          stub()
              .systemSharedMemoryRegister(
                  SystemSharedMemoryRegisterRequest.newBuilder()
                      .setName(name)
                      .setKey(key)
                      .setOffset(offset)
                      .setByteSize(byteSize)
                      .build());
    }

    @Override
    public void unregister(String name) {
      var _ =
          stub()
              .systemSharedMemoryUnregister(
                  SystemSharedMemoryUnregisterRequest.newBuilder().setName(name).build());
    }

    @Override
    public List<String> regions() {
      return stub()
          .systemSharedMemoryStatus(SystemSharedMemoryStatusRequest.getDefaultInstance())
          .getRegionsMap()
          .keySet()
          .stream()
          .sorted()
          .toList();
    }

    @Override
    public void registerCuda(String name, byte[] handle, long gpu, long byteSize) {
      var _ =
          stub()
              .cudaSharedMemoryRegister(
                  CudaSharedMemoryRegisterRequest.newBuilder()
                      .setName(name)
                      .setRawHandle(ByteString.copyFrom(handle))
                      .setDeviceId(gpu)
                      .setByteSize(byteSize)
                      .build());
    }

    @Override
    public void unregisterCuda(String name) {
      var _ =
          stub()
              .cudaSharedMemoryUnregister(
                  CudaSharedMemoryUnregisterRequest.newBuilder().setName(name).build());
    }

    @Override
    public List<String> cudaRegions() {
      return stub()
          .cudaSharedMemoryStatus(CudaSharedMemoryStatusRequest.getDefaultInstance())
          .getRegionsMap()
          .values()
          .stream()
          .map(region ->
              "%s %d %d".formatted(region.getName(), region.getDeviceId(), region.getByteSize()))
          .sorted()
          .toList();
    }

    /** The message of a request. */
    static ModelInferRequest request(String model, List<Input> inputs, List<Output> outputs) {
      var request = ModelInferRequest.newBuilder().setModelName(model);
      for (Input input : inputs) {
        var tensor = request.addInputsBuilder().setName(input.name()).setDatatype(input.dataType());
        Arrays.stream(input.shape()).forEach(tensor::addShape);
        if (input.slice() == null) {
          request.addRawInputContents(ByteString.copyFrom(input.data()));
        } else {
          tensor.putAllParameters(parameters(input.slice()));
        }
      }
      for (Output output : outputs) {
        var tensor = request.addOutputsBuilder().setName(output.name());
        if (output.slice() != null) {
          tensor.putAllParameters(parameters(output.slice()));
        }
      }
      return request.build();
    }

    private static Map<String, InferParameter> parameters(Slice slice) {
      return Map.of(
          "shared_memory_region",
          InferParameter.newBuilder().setStringParam(slice.region()).build(),
          "shared_memory_offset",
          InferParameter.newBuilder().setInt64Param(slice.offset()).build(),
          "shared_memory_byte_size",
          InferParameter.newBuilder().setInt64Param(slice.byteSize()).build());
    }

    @Override
    public Result infer(String model, List<Input> inputs, List<Output> outputs) {
      ModelInferResponse response;
      try {
        response = stub().modelInfer(request(model, inputs, outputs));
      } catch (StatusRuntimeException failure) {
        return new Result(String.valueOf(failure.getStatus().getDescription()), Map.of());
      }
      assertThat(response.getRawOutputContentsList()).hasSameSizeAs(response.getOutputsList());
      List<String> inRegions = new ArrayList<>();
      outputs.stream()
          .filter(output -> output.slice() != null)
          .forEach(output -> inRegions.add(output.name()));
      Map<String, byte[]> data = new LinkedHashMap<>();
      for (int i = 0; i < response.getOutputsCount(); i++) {
        String name = response.getOutputs(i).getName();
        byte[] bytes = response.getRawOutputContents(i).toByteArray();
        if (inRegions.contains(name)) {
          assertThat(bytes).as("data of " + name + " in the response").isEmpty();
        } else {
          data.put(name, bytes);
        }
      }
      return new Result("", data);
    }
  }
}
