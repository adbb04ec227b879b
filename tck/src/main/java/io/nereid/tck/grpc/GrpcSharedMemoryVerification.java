package io.nereid.tck.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.SharedMemoryObject;
import io.nereid.tck.wire.ModelInferResponse;
import io.nereid.tck.wire.SystemSharedMemoryStatusResponse;
import io.nereid.tck.wire.SystemSharedMemoryStatusResponse.RegionStatus;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * System shared memory over gRPC. Skipped if the server does not allow it, or runs on a machine
 * without {@code /dev/shm}.
 */
public abstract class GrpcSharedMemoryVerification extends GrpcVerification {
  private static final int SIZE = 4096;

  @SuppressWarnings("NullAway.Init") // by create()
  private SharedMemoryObject object;

  @BeforeEach
  void create() {
    assumeThat(SharedMemoryObject.isSupported()).as("a machine with /dev/shm").isTrue();
    assumeThat(server().isOnThisMachine()).as("the server is on this machine").isTrue();
    assumeThat(isAllowed()).as("the server allows regions").isTrue();
    object = SharedMemoryObject.create(SIZE);
    register("r", SIZE);
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

  private void register(String name, long byteSize) {
    var region = "name: '%s' key: '%s' byte_size: %d".formatted(name, object.key(), byteSize);
    var _ = call("SystemSharedMemoryRegister", region);
  }

  private void unregister(String name) {
    var _ = call("SystemSharedMemoryUnregister", "name: '%s'".formatted(name));
  }

  private Map<String, RegionStatus> status(String name) {
    return ((SystemSharedMemoryStatusResponse)
            call("SystemSharedMemoryStatus", "name: '%s'".formatted(name)))
        .getRegionsMap();
  }

  /** Registers a region of a handle that no process has exported: its bytes are zeros. */
  private void registerCuda(int handleSize, long device, long byteSize) {
    String region =
        "name: 'q' raw_handle: '%s' device_id: %d byte_size: %s"
            .formatted("\\0".repeat(handleSize), device, Long.toUnsignedString(byteSize));
    var _ = call("CudaSharedMemoryRegister", region);
  }

  /** A request for {@code simple} whose first input is described by {@code members} too. */
  private static String reading(String members) {
    return "model_name: 'simple' inputs { name: 'INPUT0' datatype: 'INT32' shape: [1,16] %s }"
            .formatted(parameters(members))
        + " $INPUT1:INT32[1,16] $row";
  }

  private static String writing(String members) {
    return "$simple outputs { name: 'OUTPUT0' %s }".formatted(parameters(members));
  }

  /** Parameters of a tensor in a region, which are written as {@code offset=0} in these tests. */
  private static String parameters(String members) {
    return members
        .replaceAll("\\b(region|offset|byte_size)=true", "$1 { bool_param: true }")
        .replaceAll("\\bregion=(\\w+)", "region { string_param: '$1' }")
        .replaceAll("\\b(offset|byte_size)=(-?\\d+)", "$1 { int64_param: $2 }")
        .replaceAll(
            "\\b(region|offset|byte_size) (\\{[^}]*\\})",
            "parameters { key: 'shared_memory_$1' value $2 }");
  }

  @Rule("SHM-01")
  void statesTheRegionsThatAreRegistered() {
    register("q", 10);
    var q = RegionStatus.newBuilder().setName("q").setKey(object.key()).setByteSize(10).build();

    assertThat(status("q")).containsExactly(Map.entry("q", q));
    assertThat(status("")).containsOnlyKeys("q", "r");
    unregister("q");
    assertThat(status("")).containsOnlyKeys("r");
    unregister("");
    assertThat(status("")).isEmpty();
  }

  @RuleTable(
      """
      SHM-02 | name: 'r' key: '$key' byte_size: 4096                | ALREADY_EXISTS   | shared memory region 'r' already in manager
      SHM-03 | name: 'q' byte_size: 1                               | INVALID_ARGUMENT | cannot register shared memory region 'q' - invalid shm key ''
      SHM-03 | name: 'q' key: '/' byte_size: 1                      | INVALID_ARGUMENT | cannot register shared memory region 'q' - invalid shm key '/'
      SHM-03 | name: 'q' key: '///' byte_size: 1                    | INVALID_ARGUMENT | cannot register shared memory region 'q' - invalid shm key '///'
      SHM-03 | name: 'q' key: 'triton_python_backend_shm_region_' byte_size: 1    | INVALID_ARGUMENT | cannot register shared memory region 'q' with key 'triton_python_backend_shm_region_' as the key contains the reserved prefix 'triton_python_backend_shm_region_'
      SHM-03 | name: 'q' key: '/triton_python_backend_shm_region_' byte_size: 1   | INVALID_ARGUMENT | cannot register shared memory region 'q' with key '/triton_python_backend_shm_region_' as the key contains the reserved prefix 'triton_python_backend_shm_region_'
      SHM-03 | name: 'q' key: '///triton_python_backend_shm_region_' byte_size: 1 | INVALID_ARGUMENT | cannot register shared memory region 'q' with key '///triton_python_backend_shm_region_' as the key contains the reserved prefix 'triton_python_backend_shm_region_'
      SHM-04 | name: 'q' key: '/tck_no_such_object' byte_size: 1    | INTERNAL         | Unable to open shared memory region: '/tck_no_such_object'
      SHM-05 | name: 'q' key: '$key' byte_size: 4097                | INVALID_ARGUMENT | failed to register shared memory region 'q': invalid args
      SHM-05 | name: 'q' key: '$key' offset: 1 byte_size: 4096      | INVALID_ARGUMENT | failed to register shared memory region 'q': invalid args
      SHM-05 | name: 'q' key: '$key' offset: 4096 byte_size: 1      | INVALID_ARGUMENT | failed to register shared memory region 'q': invalid args
      SHM-05 | name: 'q' key: '$key' offset: 4097                   | INVALID_ARGUMENT | failed to register shared memory region 'q': invalid args
      """)
  void refusesARegion(String request, Status.Code code, String text) {
    rejected("SystemSharedMemoryRegister", request.replace("$key", object.key()), code, text);
  }

  @RuleCases("SHM-23")
  @CsvSource({"0,0,1", "63,0,1", "65,0,1", "64,4294967296,1", "64,0,-1"})
  void refusesMemoryOfAGpuWhoseHandleDeviceOrSizeCannotBe(
      int handleSize, long device, long byteSize) {
    rejected(
        () -> registerCuda(handleSize, device, byteSize),
        Status.Code.INVALID_ARGUMENT,
        "failed to register shared memory region 'q': invalid args");
  }

  /** Without a GPU no handle can be right, but what is wrong with it depends on what was read. */
  @Rule("SHM-24")
  void refusesMemoryOfAGpuThatNoProcessSharesAsOverHttp() {
    String handle = Base64.getEncoder().encodeToString(new byte[64]);
    String json =
        "{\"raw_handle\":{\"b64\":\"%s\"},\"device_id\":0,\"byte_size\":1}".formatted(handle);
    try (var http = server().connect()) {
      var path = "/v2/cudasharedmemory/region/q/register";
      var response = http.send("POST", path, json.getBytes(UTF_8), Map.of());
      assertThat(response.status()).as(response.text()).isEqualTo(400);

      rejected(
          () -> registerCuda(64, 0, 1),
          Status.Code.INVALID_ARGUMENT,
          Json.string(Json.object(response.body()), "error"));
    }
  }

  @RuleTable(
      """
      SHM-07 | SystemSharedMemoryStatus | name: 'q' | Unable to find system shared memory region: 'q'
      SHM-07 | CudaSharedMemoryStatus   | name: 'q' | Unable to find cuda shared memory region: 'q'
      SHM-07 | CudaSharedMemoryStatus   | name: 'r' | The region named 'r' is registered as system shared memory, not CUDA shared memory
      """)
  void findsNoRegionOfThatNameOrOfTheOtherKind(String method, String request, String text) {
    rejected(method, request, Status.Code.NOT_FOUND, text);
  }

  @RuleCases("SHM-08")
  @ValueSource(strings = {"", "r", "q"})
  void unregistersWhatDoesNotExist(String name) {
    var _ = call("CudaSharedMemoryUnregister", "name: '%s'".formatted(name));
    unregister("q");

    assertThat(status("")).containsOnlyKeys("r");
  }

  @Rule({"SHM-09", "SHM-10"})
  void readsInputsFromARegionAndWritesOutputsToIt() {
    object.write(64, ROW.toByteArray());

    var written = parameters("region=r offset=1024 byte_size=100");
    var outputs = " outputs { name: 'OUTPUT0' %s } outputs { name: 'OUTPUT1' }".formatted(written);
    var request = reading("region=r offset=64 byte_size=64") + outputs;
    var response = (ModelInferResponse) call("ModelInfer", request);

    assertThat(raw(response, "OUTPUT0")).isEqualTo(ByteString.EMPTY);
    assertThat(raw(response, "OUTPUT1")).isEqualTo(ints(new int[16]));
    assertThat(shapeOf(response, 0)).containsExactly(1L, 16L);
    assertThat(ByteString.copyFrom(object.read(1024, 64))).isEqualTo(SUMS);
    assertThat(object.read(1024 + 64, 36)).containsOnly(0);
  }

  @RuleTable(
      """
      SHM-11 | region=q offset=0 byte_size=64    | NOT_FOUND        | Unable to find shared memory region: 'q'
      SHM-11 | region=r offset=4096 byte_size=0  | INVALID_ARGUMENT | Invalid offset for shared memory region: 'r'
      SHM-11 | region=r offset=-32 byte_size=64  | INVALID_ARGUMENT | Invalid offset for shared memory region: 'r'
      SHM-11 | region=r offset=4090 byte_size=64 | INVALID_ARGUMENT | Invalid offset + byte size for shared memory region: 'r'
      SHM-11 | region=r offset=32 byte_size=-32  | INVALID_ARGUMENT | Integer overflow detected: byte_size (18446744073709551584) + offset (32) exceeds maximum value (18446744073709551615) for region 'r'
      """)
  void refusesATensorThatIsNotInARegion(String members, Status.Code code, String text) {
    rejected("ModelInfer", reading(members), code, text);
    rejected("ModelInfer", writing(members), code, text);
  }

  @RuleTable(
      """
      SHM-12 | region=r offset=0 byte_size=128    | [request id: <id_unknown>] input byte size mismatch for input 'INPUT0' for model 'simple'. Expected 64, got 128
      SHM-15 | region=true offset=0 byte_size=64  | invalid value type for 'shared_memory_region' parameter for tensor 'INPUT0', expected string_param.
      SHM-15 | region=r offset=true byte_size=64  | invalid value type for 'shared_memory_offset' parameter for tensor 'INPUT0', expected int64_param.
      SHM-15 | region=r offset=0 byte_size=true   | invalid value type for 'shared_memory_byte_size' parameter for tensor 'INPUT0', expected int64_param.
      SHM-15 | offset=1                           | 'shared_memory_offset' can not be specified without 'shared_memory_region' parameter for tensor 'INPUT0'
      SHM-15 | byte_size=1                        | 'shared_memory_byte_size' can not be specified without 'shared_memory_region' parameter for tensor 'INPUT0'
      SHM-15 | region=r                           | 'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor 'INPUT0'
      SHM-16 | region=r offset=0 byte_size=64 contents { int_contents: 1 } | unexpected 'content' provided when using shared memory for input tensor 'INPUT0' for model 'simple'
      """)
  void refusesAnInput(String members, String text) {
    rejected("ModelInfer", reading(members), Status.Code.INVALID_ARGUMENT, text);
  }

  @RuleTable(
      """
      SHM-13 | region=r offset=0 byte_size=63 | INTERNAL         | shared memory size specified with the request for output 'OUTPUT0' (63 bytes) should be at least 64 bytes to hold the results
      SHM-14 | region=r offset=0 byte_size=64 parameters { key: 'classification' value { int64_param: 1 } } | INVALID_ARGUMENT | output can't set both 'shared_memory_region' and 'classification'
      SHM-15 | offset=1                       | INVALID_ARGUMENT | 'shared_memory_offset' can not be specified without 'shared_memory_region' parameter for tensor 'OUTPUT0'
      SHM-15 | byte_size=1                    | INVALID_ARGUMENT | 'shared_memory_byte_size' can not be specified without 'shared_memory_region' parameter for tensor 'OUTPUT0'
      """)
  void refusesAnOutput(String members, Status.Code code, String text) {
    rejected("ModelInfer", writing(members), code, text);
  }
}
