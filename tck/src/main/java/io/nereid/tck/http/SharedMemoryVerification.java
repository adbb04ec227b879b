package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.SharedMemoryObject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * System shared memory over HTTP. Skipped if the server does not allow it, or runs on a machine
 * without {@code /dev/shm}.
 */
public abstract class SharedMemoryVerification extends HttpVerification {
  private static final String SYSTEM = "/v2/systemsharedmemory/";
  private static final String RESERVED = "triton_python_backend_shm_region_";
  private static final int SIZE = 4096;

  @SuppressWarnings("NullAway.Init") // by create()
  private SharedMemoryObject object;

  @BeforeEach
  void create() {
    assumeThat(SharedMemoryObject.isSupported()).isTrue();
    assumeThat(unregister("").status()).as("of a server that allows regions").isEqualTo(200);
    object = SharedMemoryObject.create(SIZE);
    assertThat(register("r", object.key(), 0, SIZE).status()).isEqualTo(200);
  }

  @AfterEach
  void remove() {
    if (object != null) {
      var _ = unregister("");
      object.close();
    }
  }

  private static String path(String region, String action) {
    return SYSTEM + (region.isEmpty() ? "" : "region/" + region + "/") + action;
  }

  private HttpWire.Response register(String region, String key, long offset, long byteSize) {
    return register(
        region, "{\"key\":\"%s\",\"offset\":%d,\"byte_size\":%d}".formatted(key, offset, byteSize));
  }

  private HttpWire.Response register(String region, String body) {
    return post(path(region, "register"), body);
  }

  private HttpWire.Response unregister(String region) {
    return post(path(region, "unregister"), "");
  }

  private List<?> status(String region) {
    HttpWire.Response response = get(path(region, "status"));
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    return (List<?>) Json.parse(response.body());
  }

  /** The parameters of a tensor in the region {@code r}. */
  private static String in(long offset, long byteSize) {
    return "\"parameters\":{\"shared_memory_region\":\"r\",\"shared_memory_offset\":%d,\"shared_memory_byte_size\":%d}"
        .formatted(offset, byteSize);
  }

  private static String input(String name, String parameters) {
    return "{\"name\":\"%s\",\"datatype\":\"INT32\",\"shape\":[1,16],%s}"
        .formatted(name, parameters);
  }

  private static String output(String parameters) {
    return "\"outputs\":[{\"name\":\"OUTPUT0\",%s}]".formatted(parameters);
  }

  @Test
  @Rule("SHM-01")
  void statesTheRegionsThatAreRegistered() {
    assertThat(register("q", object.key(), 0, 10).status()).isEqualTo(200);

    assertThat(status("q"))
        .singleElement()
        .asString()
        .isEqualTo("{name=q, key=%s, offset=0, byte_size=10}", object.key());
    assertThat(status("")).hasSize(2);
    assertThat(unregister("q").status()).isEqualTo(200);
    assertThat(status("")).hasSize(1);
    assertThat(unregister("").status()).isEqualTo(200);
    assertThat(status("")).isEmpty();
  }

  @Test
  @Rule("SHM-02")
  void refusesANameThatARegionHas() {
    rejected(register("r", object.key(), 0, SIZE), "shared memory region 'r' already in manager");
  }

  @ParameterizedTest
  @CsvSource({
    "/,cannot register shared memory region 'q' - invalid shm key '/'",
    "///,cannot register shared memory region 'q' - invalid shm key '///'",
    RESERVED
        + "1,cannot register shared memory region 'q' with key '"
        + RESERVED
        + "1' as the key contains the reserved prefix '"
        + RESERVED
        + "'",
    "//"
        + RESERVED
        + ",cannot register shared memory region 'q' with key '//"
        + RESERVED
        + "' as the key contains the reserved prefix '"
        + RESERVED
        + "'"
  })
  @Rule("SHM-03")
  void refusesAKeyThatNoClientMayUse(String key, String text) {
    rejected(register("q", key, 0, 1), text);
  }

  @Test
  @Rule("SHM-04")
  void refusesAKeyWithoutAnObject() {
    rejected(
        register("q", "/tck_no_such_object", 0, 1),
        500,
        "Unable to open shared memory region: '/tck_no_such_object'");
  }

  @ParameterizedTest
  @CsvSource({"0,4097", "1,4096", "4096,1", "4097,0"})
  @Rule("SHM-05")
  void refusesARangeBeyondTheObject(long offset, long byteSize) {
    rejected(
        register("q", object.key(), offset, byteSize),
        "failed to register shared memory region 'q': invalid args");
  }

  @Test
  @Rule("SHM-06")
  void refusesARegisterRequestThatIsIncomplete() {
    rejected(
        register("", "{\"key\":\"k\",\"byte_size\":1}"),
        "'region name' is necessary to register system shared memory region");
    rejected(
        register("q", "{\"byte_size\":1}"), "Shared memory register request has no 'key' field");
    rejected(
        register("q", "{\"key\":\"k\"}"),
        "Shared memory register request has no 'byte_size' field");
    rejected(
        register("q", "{\"key\":1,\"byte_size\":1}"),
        500,
        "attempt to access JSON non-string as string");
    rejected(
        register("q", "{\"key\":\"k\",\"byte_size\":-1}"),
        500,
        "attempt to access JSON non-unsigned-integer as unsigned-integer");
    rejected(
        register("q", "{\"key\":\"k\",\"offset\":\"0\",\"byte_size\":1}"),
        500,
        "attempt to access JSON non-unsigned-integer as unsigned-integer");
    rejectedWith(register("q", ""), 500, "failed to parse the request JSON buffer: ");
  }

  @Test
  @Rule("SHM-22")
  void takesZeroForAnOffsetOrASizeThatIsNotGiven() {
    assertThat(register("q", "{\"key\":\"%s\",\"byte_size\":10}".formatted(object.key())).status())
        .isEqualTo(200);
    assertThat(status("q"))
        .singleElement()
        .asString()
        .isEqualTo("{name=q, key=%s, offset=0, byte_size=10}", object.key());

    object.write(0, Samples.ints(IntStream.range(0, 16).toArray()));
    String row = "\"parameters\":{\"shared_memory_region\":\"r\",\"shared_memory_byte_size\":64}";
    Object response = answer("simple", request(input("INPUT0", row), INPUT1));
    assertThat(integers(output(response, "OUTPUT0"))).startsWith(0L, 2L).endsWith(30L);

    String nothing = "\"parameters\":{\"shared_memory_region\":\"r\"}";
    simpleRefused(
        request(input("INPUT0", nothing), INPUT1),
        NO_ID
            + "input byte size mismatch for input 'INPUT0' for model 'simple'. Expected 64, got 0");
    simpleMalformed(
        requestWith(output(nothing), INPUT0, INPUT1),
        "shared memory size specified with the request for output 'OUTPUT0' (0 bytes) should be at"
            + " least 64 bytes to hold the results");
  }

  @Test
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

  @Test
  @Rule("SHM-07")
  void findsNoRegionOfThatNameOrOfTheOtherKind() {
    rejected(get(path("q", "status")), 404, "Unable to find system shared memory region: 'q'");
    rejected(
        get("/v2/cudasharedmemory/region/q/status"),
        404,
        "Unable to find cuda shared memory region: 'q'");
    rejected(
        get("/v2/cudasharedmemory/region/r/status"),
        404,
        "The region named 'r' is registered as system shared memory, not CUDA shared memory");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v2/systemsharedmemory/region/q/unregister",
        "/v2/cudasharedmemory/region/r/unregister",
        "/v2/cudasharedmemory/unregister"
      })
  @Rule("SHM-08")
  void unregistersWhatDoesNotExist(String target) {
    assertThat(post(target, "").status()).isEqualTo(200);
    assertThat(status("")).hasSize(1);
  }

  @Test
  @Rule({"SHM-09", "SHM-10"})
  void readsInputsFromARegionAndWritesOutputsToIt() {
    object.write(64, Samples.ints(IntStream.range(0, 16).toArray()));

    Object response =
        answer(
            "simple",
            requestWith(
                "\"outputs\":[{\"name\":\"OUTPUT1\"},{\"name\":\"OUTPUT0\"," + in(1024, 100) + "}]",
                input("INPUT0", in(64, 64)),
                INPUT1));

    assertThat(members(output(response, "OUTPUT0"))).isEqualTo("name datatype shape");
    assertThat(shape(output(response, "OUTPUT0"))).containsExactly(1L, 16L);
    assertThat(integers(output(response, "OUTPUT1"))).containsOnly(0L).hasSize(16);
    assertThat(object.read(1024, 64))
        .isEqualTo(Samples.ints(IntStream.range(0, 16).map(i -> 2 * i).toArray()));
    assertThat(object.read(1024 + 64, 36)).containsOnly(0);
  }

  @ParameterizedTest
  @CsvSource({
    "q,0,64,404,Unable to find shared memory region: 'q'",
    "r,4096,0,400,Invalid offset for shared memory region: 'r'",
    "r,18446744073709551584,64,400,Invalid offset for shared memory region: 'r'",
    "r,4090,64,400,Invalid offset + byte size for shared memory region: 'r'",
    "r,32,18446744073709551584,400,Integer overflow detected: byte_size (18446744073709551584) +"
        + " offset (32) exceeds maximum value (18446744073709551615) for region 'r'"
  })
  @Rule("SHM-11")
  void refusesATensorThatIsNotInARegion(
      String region, String offset, String byteSize, int status, String text) {
    String parameters =
        "\"parameters\":{\"shared_memory_region\":\"%s\",\"shared_memory_offset\":%s,\"shared_memory_byte_size\":%s}"
            .formatted(region, offset, byteSize);

    rejected(infer("simple", request(input("INPUT0", parameters), INPUT1)), status, text);
    rejected(infer("simple", requestWith(output(parameters), INPUT0, INPUT1)), status, text);
  }

  @Test
  @Rule("SHM-12")
  void refusesAnInputWithMoreBytesThanItsShape() {
    simpleRefused(
        request(input("INPUT0", in(0, 128)), INPUT1),
        NO_ID
            + "input byte size mismatch for input 'INPUT0' for model 'simple'. Expected 64, got 128");
  }

  @Test
  @Rule("SHM-13")
  void failsIfAnOutputIsLargerThanItsPart() {
    simpleMalformed(
        requestWith(output(in(0, 63)), INPUT0, INPUT1),
        "shared memory size specified with the request for output 'OUTPUT0' (63 bytes) should be at"
            + " least 64 bytes to hold the results");
  }

  @Test
  @Rule("SHM-14")
  void refusesAnOutputInARegionThatIsAlsoSent() {
    String both = in(0, 64).replace("{", "{\"classification\":1,");
    simpleRefused(
        requestWith(output(both), INPUT0, INPUT1),
        "Output can't set both 'shared_memory_region' and 'classification'");
    String binary = in(0, 64).replace("{", "{\"binary_data\":true,");
    simpleRefused(
        requestWith(output(binary), INPUT0, INPUT1),
        "Output can't set both 'shared_memory_region' and 'binary_data'");
  }

  @Test
  @Rule("SHM-17")
  void refusesAnInputInARegionThatIsAlsoSent() {
    String binary = in(0, 64).replace("{", "{\"binary_data_size\":64,");
    byte[] row = new byte[64];
    Arrays.fill(row, (byte) 1);
    rejectedWith(
        inferBinary("simple", request(input("INPUT0", binary), INPUT1), row),
        400,
        "Input must set only one of the following fields:");
    rejectedWith(
        infer("simple", request(input("INPUT0", "\"data\":[1]," + in(0, 64)), INPUT1)),
        400,
        "Input must set only one of the following fields:");
  }

  @Test
  @Rule("SHM-06")
  void respondsMethodNotAllowedToTheWrongMethod() {
    assertThat(post(path("", "status"), "").status()).isEqualTo(405);
    assertThat(get(path("r", "register")).status()).isEqualTo(405);
    assertThat(wire().send("PUT", path("", "unregister"), new byte[0], Map.of()).status())
        .isEqualTo(405);
  }
}
