package io.nereid.tck.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.tck.Rule;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.SharedMemoryObject;
import io.nereid.tck.wire.CudaSharedMemoryRegisterRequest;
import io.nereid.tck.wire.CudaSharedMemoryStatusRequest;
import io.nereid.tck.wire.CudaSharedMemoryUnregisterRequest;
import io.nereid.tck.wire.InferParameter;
import io.nereid.tck.wire.InferTensorContents;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelInferRequest.InferRequestedOutputTensor;
import io.nereid.tck.wire.ModelInferResponse;
import io.nereid.tck.wire.SystemSharedMemoryRegisterRequest;
import io.nereid.tck.wire.SystemSharedMemoryStatusRequest;
import io.nereid.tck.wire.SystemSharedMemoryStatusResponse.RegionStatus;
import io.nereid.tck.wire.SystemSharedMemoryUnregisterRequest;
import java.util.Base64;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * System shared memory over gRPC. Skipped if the server does not allow it, or runs on a machine
 * without {@code /dev/shm}.
 */
public abstract class SharedMemoryVerification extends GrpcVerification {
  private static final String REGION = "shared_memory_region";
  private static final String OFFSET = "shared_memory_offset";
  private static final String BYTE_SIZE = "shared_memory_byte_size";
  private static final int SIZE = 4096;

  @SuppressWarnings("NullAway.Init") // by create()
  private SharedMemoryObject object;

  @BeforeEach
  void create() {
    assumeThat(SharedMemoryObject.isSupported()).isTrue();
    assumeThat(isAllowed()).as("the server allows regions").isTrue();
    object = SharedMemoryObject.create(SIZE);
    register("r", object.key(), 0, SIZE);
  }

  @AfterEach
  void remove() {
    if (object != null) {
      unregister("");
      object.close();
    }
  }

  private boolean isAllowed() {
    try {
      unregister("");
      return true;
    } catch (StatusRuntimeException refused) {
      return false;
    }
  }

  private void register(String name, String key, long offset, long byteSize) {
    var _ =
        calls()
            .systemSharedMemoryRegister(
                SystemSharedMemoryRegisterRequest.newBuilder()
                    .setName(name)
                    .setKey(key)
                    .setOffset(offset)
                    .setByteSize(byteSize)
                    .build());
  }

  private void unregister(String name) {
    var _ =
        calls()
            .systemSharedMemoryUnregister(
                SystemSharedMemoryUnregisterRequest.newBuilder().setName(name).build());
  }

  private Map<String, RegionStatus> status(String name) {
    return calls()
        .systemSharedMemoryStatus(
            SystemSharedMemoryStatusRequest.newBuilder().setName(name).build())
        .getRegionsMap();
  }

  private void cudaStatus(String name) {
    var _ =
        calls()
            .cudaSharedMemoryStatus(
                CudaSharedMemoryStatusRequest.newBuilder().setName(name).build());
  }

  /** Registers a region of a handle that no process has exported: its bytes are zeros. */
  private void registerCuda(int handleSize, long device, long byteSize) {
    var _ =
        calls()
            .cudaSharedMemoryRegister(
                CudaSharedMemoryRegisterRequest.newBuilder()
                    .setName("q")
                    .setRawHandle(ByteString.copyFrom(new byte[handleSize]))
                    .setDeviceId(device)
                    .setByteSize(byteSize)
                    .build());
  }

  /** The parameters of a tensor in a region. */
  private static Map<String, InferParameter> in(String region, long offset, long byteSize) {
    return Map.of(
        REGION, parameter(region), OFFSET, parameter(offset), BYTE_SIZE, parameter(byteSize));
  }

  /** A request for {@code simple} whose first input is in the region {@code r}. */
  private static ModelInferRequest.Builder reading(Map<String, InferParameter> parameters) {
    return request("simple", input("INPUT0", "INT32", 1, 16).putAllParameters(parameters))
        .addInputs(input("INPUT1", "INT32", 1, 16))
        .addRawInputContents(ROW);
  }

  private static ModelInferRequest.Builder writing(Map<String, InferParameter> parameters) {
    return simple()
        .addOutputs(
            InferRequestedOutputTensor.newBuilder()
                .setName("OUTPUT0")
                .putAllParameters(parameters));
  }

  @Test
  @Rule("SHM-01")
  void statesTheRegionsThatAreRegistered() {
    register("q", object.key(), 0, 10);
    var q = RegionStatus.newBuilder().setName("q").setKey(object.key()).setByteSize(10).build();

    assertThat(status("q")).containsExactly(Map.entry("q", q));
    assertThat(status("")).containsOnlyKeys("q", "r");
    unregister("q");
    assertThat(status("")).containsOnlyKeys("r");
    unregister("");
    assertThat(status("")).isEmpty();
  }

  @Test
  @Rule("SHM-02")
  void refusesANameThatARegionHas() {
    rejected(
        () -> register("r", object.key(), 0, SIZE),
        Status.Code.ALREADY_EXISTS,
        "shared memory region 'r' already in manager");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "///"})
  @Rule("SHM-03")
  void refusesAKeyThatNoClientMayUse(String slashes) {
    rejected(
        () -> register("q", slashes, 0, 1),
        Status.Code.INVALID_ARGUMENT,
        "cannot register shared memory region 'q' - invalid shm key '" + slashes + "'");
    String reserved = "triton_python_backend_shm_region_";
    rejected(
        () -> register("q", slashes + reserved, 0, 1),
        Status.Code.INVALID_ARGUMENT,
        "cannot register shared memory region 'q' with key '%s' as the key contains the reserved prefix '%s'"
            .formatted(slashes + reserved, reserved));
  }

  @Test
  @Rule("SHM-04")
  void refusesAKeyWithoutAnObject() {
    rejected(
        () -> register("q", "/tck_no_such_object", 0, 1),
        Status.Code.INTERNAL,
        "Unable to open shared memory region: '/tck_no_such_object'");
  }

  @ParameterizedTest
  @CsvSource({"0,4097", "1,4096", "4096,1", "4097,0"})
  @Rule("SHM-05")
  void refusesARangeBeyondTheObject(long offset, long byteSize) {
    rejected(
        () -> register("q", object.key(), offset, byteSize),
        Status.Code.INVALID_ARGUMENT,
        "failed to register shared memory region 'q': invalid args");
  }

  @ParameterizedTest
  @CsvSource({"0,0,1", "63,0,1", "65,0,1", "64,4294967296,1", "64,0,-1"})
  @Rule("SHM-23")
  void refusesMemoryOfAGpuWhoseHandleDeviceOrSizeCannotBe(
      int handleSize, long device, long byteSize) {
    rejected(
        () -> registerCuda(handleSize, device, byteSize),
        Status.Code.INVALID_ARGUMENT,
        "failed to register shared memory region 'q': invalid args");
  }

  /** Without a GPU no handle can be right, but what is wrong with it depends on what was read. */
  @Test
  @Rule("SHM-24")
  void refusesMemoryOfAGpuThatNoProcessSharesAsOverHttp() {
    String handle = Base64.getEncoder().encodeToString(new byte[64]);
    String json =
        "{\"raw_handle\":{\"b64\":\"%s\"},\"device_id\":0,\"byte_size\":1}".formatted(handle);
    try (var http = new HttpWire(server().http())) {
      var path = "/v2/cudasharedmemory/region/q/register";
      var response = http.send("POST", path, json.getBytes(UTF_8), Map.of());
      assertThat(response.status()).as(response.text()).isEqualTo(400);

      rejected(
          () -> registerCuda(64, 0, 1),
          Status.Code.INVALID_ARGUMENT,
          (String) Json.member(Json.object(response.body()), "error"));
    }
  }

  @Test
  @Rule("SHM-07")
  void findsNoRegionOfThatNameOrOfTheOtherKind() {
    rejected(
        () -> status("q"),
        Status.Code.NOT_FOUND,
        "Unable to find system shared memory region: 'q'");
    rejected(
        () -> cudaStatus("q"),
        Status.Code.NOT_FOUND,
        "Unable to find cuda shared memory region: 'q'");
    rejected(
        () -> cudaStatus("r"),
        Status.Code.NOT_FOUND,
        "The region named 'r' is registered as system shared memory, not CUDA shared memory");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "r", "q"})
  @Rule("SHM-08")
  void unregistersWhatDoesNotExist(String name) {
    var _ =
        calls()
            .cudaSharedMemoryUnregister(
                CudaSharedMemoryUnregisterRequest.newBuilder().setName(name).build());
    unregister("q");

    assertThat(status("")).containsOnlyKeys("r");
  }

  @Test
  @Rule({"SHM-09", "SHM-10"})
  void readsInputsFromARegionAndWritesOutputsToIt() {
    object.write(64, ROW.toByteArray());

    ModelInferResponse response =
        infer(
            reading(in("r", 64, 64))
                .addOutputs(
                    InferRequestedOutputTensor.newBuilder()
                        .setName("OUTPUT0")
                        .putAllParameters(in("r", 1024, 100)))
                .addOutputs(output("OUTPUT1")));

    assertThat(raw(response, "OUTPUT0")).isEqualTo(ByteString.EMPTY);
    assertThat(raw(response, "OUTPUT1")).isEqualTo(ints(new int[16]));
    assertThat(shapeOf(response, 0)).containsExactly(1L, 16L);
    assertThat(ByteString.copyFrom(object.read(1024, 64)))
        .isEqualTo(ints(IntStream.range(0, 16).map(i -> 2 * i).toArray()));
    assertThat(object.read(1024 + 64, 36)).containsOnly(0);
  }

  @ParameterizedTest
  @CsvSource({
    "q,0,64,NOT_FOUND,Unable to find shared memory region: 'q'",
    "r,4096,0,INVALID_ARGUMENT,Invalid offset for shared memory region: 'r'",
    "r,-32,64,INVALID_ARGUMENT,Invalid offset for shared memory region: 'r'",
    "r,4090,64,INVALID_ARGUMENT,Invalid offset + byte size for shared memory region: 'r'",
    "r,32,-32,INVALID_ARGUMENT,Integer overflow detected: byte_size (18446744073709551584) + offset"
        + " (32) exceeds maximum value (18446744073709551615) for region 'r'"
  })
  @Rule("SHM-11")
  void refusesATensorThatIsNotInARegion(
      String region, long offset, long byteSize, Status.Code code, String text) {
    rejected(() -> infer(reading(in(region, offset, byteSize))), code, text);
    rejected(() -> infer(writing(in(region, offset, byteSize))), code, text);
  }

  @Test
  @Rule("SHM-12")
  void refusesAnInputWithMoreBytesThanItsShape() {
    inferRefused(
        reading(in("r", 0, 128)),
        NO_ID
            + "input byte size mismatch for input 'INPUT0' for model 'simple'. Expected 64, got 128");
  }

  @Test
  @Rule("SHM-13")
  void failsIfAnOutputIsLargerThanItsPart() {
    rejected(
        () -> infer(writing(in("r", 0, 63))),
        Status.Code.INTERNAL,
        "shared memory size specified with the request for output 'OUTPUT0' (63 bytes) should be at"
            + " least 64 bytes to hold the results");
  }

  @Test
  @Rule("SHM-14")
  void refusesAnOutputInARegionWithAClassification() {
    var request = writing(in("r", 0, 64));
    request.getOutputsBuilder(0).putParameters("classification", parameter(1));
    inferRefused(request, "output can't set both 'shared_memory_region' and 'classification'");
  }

  @ParameterizedTest
  @CsvSource({REGION + ",string_param", OFFSET + ",int64_param", BYTE_SIZE + ",int64_param"})
  @Rule("SHM-15")
  void refusesAParameterOfAnotherType(String name, String type) {
    var request = reading(in("r", 0, 64));
    request.getInputsBuilder(0).putParameters(name, parameter(true));
    inferRefused(
        request,
        "invalid value type for '%s' parameter for tensor 'INPUT0', expected %s."
            .formatted(name, type));
  }

  @ParameterizedTest
  @ValueSource(strings = {OFFSET, BYTE_SIZE})
  @Rule("SHM-15")
  void refusesAParameterWithoutTheRegionAndARegionWithoutASize(String name) {
    String text =
        "'%s' can not be specified without 'shared_memory_region' parameter for tensor '%s'";
    inferRefused(reading(Map.of(name, parameter(1))), text.formatted(name, "INPUT0"));
    inferRefused(writing(Map.of(name, parameter(1))), text.formatted(name, "OUTPUT0"));
    inferRefused(
        reading(Map.of(REGION, parameter("r"))),
        "'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for"
            + " tensor 'INPUT0'");
  }

  @Test
  @Rule("SHM-16")
  void refusesContentsOfAnInputInARegion() {
    var request = reading(in("r", 0, 64));
    request
        .getInputsBuilder(0)
        .setContents(InferTensorContents.newBuilder().addIntContents(1).build());
    inferRefused(
        request,
        "unexpected 'content' provided when using shared memory for input tensor 'INPUT0' for model"
            + " 'simple'");
  }
}
