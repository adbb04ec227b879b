package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.SharedMemoryObject;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * System shared memory over HTTP. Skipped if the server does not allow it, or runs on a machine
 * without {@code /dev/shm}.
 */
public abstract class HttpSharedMemoryVerification extends HttpVerification {

  @SuppressWarnings("NullAway.Init") // by create()
  private SharedMemoryObject object;

  @BeforeEach
  void create() {
    assumeThat(SharedMemoryObject.isSupported()).as("a machine with /dev/shm").isTrue();
    assumeThat(server().isOnThisMachine()).as("the server is on this machine").isTrue();
    assumeThat(unregister("").status()).as("of a server that allows regions").isEqualTo(200);
    object = SharedMemoryObject.create(4096);
    var whole = register("r", "{\"key\":\"$key\",\"offset\":0,\"byte_size\":4096}");
    assertThat(whole.status()).isEqualTo(200);
  }

  @AfterEach
  void remove() {
    if (object != null) {
      var _ = unregister("");
      object.close();
    }
  }

  private static String path(String region, String action) {
    return "/v2/systemsharedmemory/" + (region.isEmpty() ? "" : "region/" + region + "/") + action;
  }

  /** Registers a region; {@code $key} is the object's. */
  private HttpWire.Response register(String region, String json) {
    return post(path(region, "register"), json.replace("$key", object.key()));
  }

  private HttpWire.Response unregister(String region) {
    return post(path(region, "unregister"), "");
  }

  private List<?> status(String region) {
    HttpWire.Response response = get(path(region, "status"));
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    return Json.list(Json.parse(response.body()));
  }

  /** A request for {@code simple} whose first input has those members instead of data. */
  private static String reading(String members) {
    return "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"INT32\",\"shape\":[1,16],%s},$1]}"
        .formatted(parameters(members));
  }

  private static String writing(String members) {
    return "{$inputs,\"outputs\":[{\"name\":\"OUTPUT0\",%s}]}".formatted(parameters(members));
  }

  /** The parameters of a tensor in a region, whose names are shorter in these tests. */
  private static String parameters(String members) {
    return "\"parameters\":"
        + members.replaceAll("\"(?=region|offset|byte_size)", "\"shared_memory_");
  }

  @Rule("SHM-01")
  void statesTheRegionsThatAreRegistered() {
    registersTenBytes("{\"key\":\"$key\",\"offset\":0,\"byte_size\":10}");
    assertThat(status("")).hasSize(2);
    assertThat(unregister("q").status()).isEqualTo(200);
    assertThat(status("")).hasSize(1);
    assertThat(unregister("").status()).isEqualTo(200);
    assertThat(status("")).isEmpty();
  }

  private void registersTenBytes(String json) {
    assertThat(register("q", json).status()).isEqualTo(200);
    assertThat(status("q"))
        .singleElement()
        .asString()
        .isEqualTo("{name=q, key=%s, offset=0, byte_size=10}", object.key());
  }

  @RuleTable(
      """
      SHM-02 | r  | {"key":"$key","offset":0,"byte_size":4096}           | 400 | shared memory region 'r' already in manager
      SHM-03 | q  | {"key":"/","offset":0,"byte_size":1}                 | 400 | cannot register shared memory region 'q' - invalid shm key '/'
      SHM-03 | q  | {"key":"///","offset":0,"byte_size":1}               | 400 | cannot register shared memory region 'q' - invalid shm key '///'
      SHM-03 | q  | {"key":"triton_python_backend_shm_region_1","offset":0,"byte_size":1}  | 400 | cannot register shared memory region 'q' with key 'triton_python_backend_shm_region_1' as the key contains the reserved prefix 'triton_python_backend_shm_region_'
      SHM-03 | q  | {"key":"//triton_python_backend_shm_region_","offset":0,"byte_size":1} | 400 | cannot register shared memory region 'q' with key '//triton_python_backend_shm_region_' as the key contains the reserved prefix 'triton_python_backend_shm_region_'
      SHM-04 | q  | {"key":"/tck_no_such_object","offset":0,"byte_size":1} | 500 | Unable to open shared memory region: '/tck_no_such_object'
      SHM-05 | q  | {"key":"$key","offset":0,"byte_size":4097}           | 400 | failed to register shared memory region 'q': invalid args
      SHM-05 | q  | {"key":"$key","offset":1,"byte_size":4096}           | 400 | failed to register shared memory region 'q': invalid args
      SHM-05 | q  | {"key":"$key","offset":4096,"byte_size":1}           | 400 | failed to register shared memory region 'q': invalid args
      SHM-05 | q  | {"key":"$key","offset":4097,"byte_size":0}           | 400 | failed to register shared memory region 'q': invalid args
      SHM-06 | `` | {"key":"k","byte_size":1}                            | 400 | 'region name' is necessary to register system shared memory region
      SHM-06 | q  | {"byte_size":1}                                      | 400 | Shared memory register request has no 'key' field
      SHM-06 | q  | {"key":"k"}                                          | 400 | Shared memory register request has no 'byte_size' field
      SHM-06 | q  | {"key":1,"byte_size":1}                              | 500 | attempt to access JSON non-string as string
      SHM-06 | q  | {"key":"k","byte_size":-1}                           | 500 | attempt to access JSON non-unsigned-integer as unsigned-integer
      SHM-06 | q  | {"key":"k","offset":"0","byte_size":1}               | 500 | attempt to access JSON non-unsigned-integer as unsigned-integer
      SHM-06 | q  | ``                                                   | 500 | failed to parse the request JSON buffer: ...
      """)
  void refusesARegion(String region, String json, int status, String text) {
    rejected(register(region, json), status, text);
  }

  @Rule("SHM-22")
  void takesZeroForAnOffsetThatIsNotGiven() {
    registersTenBytes("{\"key\":\"$key\",\"byte_size\":10}");
    object.write(0, Samples.ints(IntStream.range(0, 16).toArray()));
    Object response = answer("simple", reading("{\"region\":\"r\",\"byte_size\":64}"));
    assertThat(integers(output(response, "OUTPUT0"))).startsWith(0L, 2L).endsWith(30L);
  }

  @Rule("SHM-21")
  void refusesARegisterRequestForMemoryOfAGpuThatIsIncomplete() {
    String path = "/v2/cudasharedmemory/region/q/register";
    rejected(
        post("/v2/cudasharedmemory/register", "{}"),
        "'region name' is necessary to register cuda shared memory region");
    var response = post(path, "{\"device_id\":0,\"byte_size\":1}");
    assumeThat(response.text()).as("a server without CUDA").doesNotContain("GPUs not supported");
    rejected(response, "Shared memory register request has no 'raw_handle' field");
    rejected(
        post(path, "{\"raw_handle\":{\"b64\":\"AAAA\"},\"device_id\":0,\"byte_size\":1}"),
        "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t");
  }

  @RuleCases("SHM-07")
  @CsvSource({
    "system,q,Unable to find system shared memory region: 'q'",
    "cuda,q,Unable to find cuda shared memory region: 'q'",
    "cuda,r,'The region named ''r'' is registered as system shared memory, not CUDA shared memory'"
  })
  void findsNoRegionOfThatNameOrOfTheOtherKind(String kind, String region, String text) {
    rejected(get("/v2/%ssharedmemory/region/%s/status".formatted(kind, region)), 404, text);
  }

  @RuleCases("SHM-08")
  @ValueSource(
      strings = {
        "/v2/systemsharedmemory/region/q/unregister",
        "/v2/cudasharedmemory/region/r/unregister",
        "/v2/cudasharedmemory/unregister"
      })
  void unregistersWhatDoesNotExist(String target) {
    assertThat(post(target, "").status()).isEqualTo(200);
    assertThat(status("")).hasSize(1);
  }

  @Rule({"SHM-09", "SHM-10"})
  void readsInputsFromARegionAndWritesOutputsToIt() {
    object.write(64, Samples.ints(IntStream.range(0, 16).toArray()));
    var outputs =
        ",\"outputs\":[{\"name\":\"OUTPUT1\"},{\"name\":\"OUTPUT0\",%s}]}"
            .formatted(parameters("{\"region\":\"r\",\"offset\":1024,\"byte_size\":100}"));
    var input = reading("{\"region\":\"r\",\"offset\":64,\"byte_size\":64}");
    var json = input.substring(0, input.length() - 1) + outputs;
    Object response = answer("simple", json);
    assertThat(members(output(response, "OUTPUT0"))).isEqualTo("name datatype shape");
    assertThat(shape(output(response, "OUTPUT0"))).containsExactly(1L, 16L);
    assertThat(integers(output(response, "OUTPUT1"))).containsOnly(0L).hasSize(16);
    assertThat(object.read(1024, 64))
        .isEqualTo(Samples.ints(IntStream.range(0, 16).map(i -> 2 * i).toArray()));
    assertThat(object.read(1024 + 64, 36)).containsOnly(0);
  }

  @RuleTable(
      """
      SHM-11 | {"region":"q","offset":0,"byte_size":64}                    | 404 | Unable to find shared memory region: 'q'
      SHM-11 | {"region":"r","offset":4096,"byte_size":0}                  | 400 | Invalid offset for shared memory region: 'r'
      SHM-11 | {"region":"r","offset":18446744073709551584,"byte_size":64} | 400 | Invalid offset for shared memory region: 'r'
      SHM-11 | {"region":"r","offset":4090,"byte_size":64}                 | 400 | Invalid offset + byte size for shared memory region: 'r'
      SHM-11 | {"region":"r","offset":32,"byte_size":18446744073709551584} | 400 | Integer overflow detected: byte_size (18446744073709551584) + offset (32) exceeds maximum value (18446744073709551615) for region 'r'
      """)
  void refusesATensorThatIsNotInARegion(String members, int status, String text) {
    rejected(infer("simple", reading(members)), status, text);
    rejected(infer("simple", writing(members)), status, text);
  }

  @RuleTable(
      """
      SHM-12 | {"region":"r","offset":0,"byte_size":128} | [request id: <id_unknown>] input byte size mismatch for input 'INPUT0' for model 'simple'. Expected 64, got 128
      SHM-22 | {"region":"r"}                            | [request id: <id_unknown>] input byte size mismatch for input 'INPUT0' for model 'simple'. Expected 64, got 0
      SHM-17 | {"binary_data_size":64,"region":"r","offset":0,"byte_size":64}             | Input must set only one of the following fields:...
      SHM-17 | {"region":"r","offset":0,"byte_size":64},"data":[1]                        | Input must set only one of the following fields:...
      """)
  void refusesAnInputThatIsTooLargeOrAlsoSent(String members, String text) {
    byte[] row = new byte[members.contains("binary") ? 64 : 0];
    rejected(inferBinary("simple", reading(members), row), text);
  }

  @RuleTable(
      """
      SHM-13 | {"region":"r","offset":0,"byte_size":63}                    | 500 | shared memory size specified with the request for output 'OUTPUT0' (63 bytes) should be at least 64 bytes to hold the results
      SHM-22 | {"region":"r"}                                              | 500 | shared memory size specified with the request for output 'OUTPUT0' (0 bytes) should be at least 64 bytes to hold the results
      SHM-14 | {"classification":1,"region":"r","offset":0,"byte_size":64} | 400 | Output can't set both 'shared_memory_region' and 'classification'
      SHM-14 | {"binary_data":true,"region":"r","offset":0,"byte_size":64} | 400 | Output can't set both 'shared_memory_region' and 'binary_data'
      """)
  void refusesAnOutputThatIsTooLargeOrAlsoSent(String members, int status, String text) {
    rejected(infer("simple", writing(members)), status, text);
  }

  @RuleCases("SHM-06")
  @CsvSource({"POST,'',status", "GET,r,register", "PUT,'',unregister"})
  void respondsMethodNotAllowedToTheWrongMethod(String method, String region, String action) {
    assertThat(send(method, path(region, action), "").status()).isEqualTo(405);
  }
}
