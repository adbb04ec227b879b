package io.nereid.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.protobuf.GRPCInferenceServiceGrpc;
import io.nereid.server.protobuf.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.server.protobuf.ModelInferRequest;
import io.nereid.server.protobuf.TraceSettingRequest;
import io.nereid.server.protobuf.TraceSettingRequest.SettingValue;
import io.nereid.server.protobuf.TraceSettingResponse;
import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Trace settings on both protocols, and the traces of their requests. Sources: Triton, protocol
 * documentation, extension_trace.md, user_guide/trace.md; QA L0_trace; src/http_server.cc and
 * src/grpc/grpc_server.cc for texts.
 */
@Timeout(60)
class TraceServerTest {
  private static final String ENSEMBLE =
      """
      platform: "ensemble"
      input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
      output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
      ensemble_scheduling {
        step { model_name: "m" model_version: -1
               input_map { key: "INPUT0" value: "IN" } output_map { key: "OUTPUT0" value: "t" } }
        step { model_name: "m" model_version: -1
               input_map { key: "INPUT0" value: "t" } output_map { key: "OUTPUT0" value: "OUT" } }
      }
      """;

  private static final String TOKENS =
      """
      backend: "tokens"
      input { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
      output { name: "TOKEN" data_type: TYPE_STRING dims: [ 1 ] }
      model_transaction_policy { decoupled: true }
      """;

  @TempDir private Path folder;
  private Path file;
  private LocalServer server;
  private HttpWire wire;
  private GRPCInferenceServiceBlockingStub grpc;
  private boolean stopped;

  @BeforeEach
  void start() throws IOException {
    file = folder.resolve("trace.json");
    Path models = folder.resolve("models");
    RepositoryFolder.at(models).add("m", RepositoryFolder.ECHO, 1);
    RepositoryFolder.at(models).add("e", ENSEMBLE, 1);
    RepositoryFolder.at(models).add("tokens", TOKENS, 1);
    TokenBackend.reset();
    server =
        new LocalServer(
            LocalServer.options(
                models, "--trace-config=triton,file=" + file, "--trace-config=rate=1"),
            new CheckedBufferPool());
    wire = new HttpWire(server.http());
    grpc = GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
  }

  @AfterEach
  void stop() {
    if (!stopped) {
      stopped = true;
      wire.close();
      server.close();
    }
  }

  private HttpWire.Response post(String path, String body) {
    return wire.send("POST", path, body.getBytes(UTF_8), Map.of());
  }

  private String text(String path) {
    return wire.send("GET", path, new byte[0], Map.of()).text();
  }

  private static String settings(String level, String rate, String count, String file) {
    return ("{\"trace_level\":[%s],\"trace_rate\":\"%s\",\"trace_count\":\"%s\","
            + "\"log_frequency\":\"0\",\"trace_file\":\"%s\",\"trace_mode\":\"triton\"}")
        .formatted(level, rate, count, file);
  }

  private TraceSettingResponse call(String model, String name, String... values) {
    return grpc.traceSetting(
        TraceSettingRequest.newBuilder()
            .setModelName(model)
            .putSettings(name, SettingValue.newBuilder().addAllValue(List.of(values)).build())
            .build());
  }

  private void trace(String levels) {
    assertThat(post("/v2/trace/setting", "{\"trace_level\":[" + levels + "]}").status())
        .isEqualTo(200);
  }

  private void inferOverHttp(String model, String input, String id) {
    inferOverHttp(model, input, id, Map.of());
  }

  private void inferOverHttp(String model, String input, String id, Map<String, String> headers) {
    String body =
        "{\"id\":\"%s\",\"inputs\":[{\"name\":\"%s\",\"datatype\":\"INT32\",\"shape\":[2],\"data\":[5,6]}]}"
            .formatted(id, input);
    assertThat(
            wire.send("POST", "/v2/models/" + model + "/infer", body.getBytes(UTF_8), headers)
                .status())
        .isEqualTo(200);
  }

  /** By id of a trace: its objects in one, with the times of its timestamps by their names. */
  private Map<Long, Map<String, Object>> traces() throws IOException {
    stop();
    Map<Long, Map<String, Object>> traces = new TreeMap<>();
    for (Object object : (List<?>) Json.parse(Files.readAllBytes(file))) {
      long id = ((Number) Json.member(object, "id")).longValue();
      Map<String, Object> trace = traces.computeIfAbsent(id, _ -> new TreeMap<>());
      Json.object(object)
          .forEach((name, value) -> {
            if (name.equals("timestamps")) {
              Object timestamp = ((List<?>) value).getFirst();
              trace.put((String) Json.member(timestamp, "name"), Json.member(timestamp, "ns"));
            } else if (name.equals("tensor")) {
              trace.put(Json.member(object, "activity") + " " + Json.member(value, "name"), value);
            } else {
              trace.put((String) name, value);
            }
          });
    }
    return traces;
  }

  private static long number(Map<String, Object> trace, String member) {
    return ((Number) Objects.requireNonNull(trace.get(member), member)).longValue();
  }

  private static void assertInOrder(Map<String, Object> trace, String... points) {
    long before = Long.MIN_VALUE;
    for (String point : points) {
      assertThat(trace).containsKey(point);
      long nanos = number(trace, point);
      assertThat(nanos).as(point).isGreaterThanOrEqualTo(before);
      before = nanos;
    }
  }

  @Test
  void theSettingsOfTheStartAreReadByBoth() {
    String expected = settings("\"OFF\"", "1", "-1", file.toString());

    assertThat(text("/v2/trace/setting")).isEqualTo(expected);
    assertThat(text("/v2/models/m/trace/setting")).isEqualTo(expected);
    assertThat(post("/v2/trace/setting", "{}").text()).isEqualTo(expected);
    var settings = grpc.traceSetting(TraceSettingRequest.getDefaultInstance());
    assertThat(settings.getSettingsCount()).isEqualTo(6);
    assertThat(settings.getSettingsOrThrow("trace_level").getValueList()).containsExactly("OFF");
    assertThat(settings.getSettingsOrThrow("trace_rate").getValueList()).containsExactly("1");
    assertThat(settings.getSettingsOrThrow("trace_count").getValueList()).containsExactly("-1");
    assertThat(settings.getSettingsOrThrow("log_frequency").getValueList()).containsExactly("0");
    assertThat(settings.getSettingsOrThrow("trace_file").getValueList())
        .containsExactly(file.toString());
    assertThat(settings.getSettingsOrThrow("trace_mode").getValueList()).containsExactly("triton");
  }

  @Test
  void settingsOfAModelAreItsOwnUntilTheyAreCleared() {
    String levels = "\"TIMESTAMPS\",\"TENSORS\"";
    assertThat(
            post("/v2/models/m/trace/setting", "{\"trace_level\":[%s]}".formatted(levels)).text())
        .isEqualTo(settings(levels, "1", "-1", file.toString()));
    assertThat(text("/v2/trace/setting")).contains("[\"OFF\"]");

    call("", "trace_rate", "7");
    call("m", "trace_count", "3");
    assertThat(text("/v2/models/m/trace/setting"))
        .isEqualTo(settings(levels, "7", "3", file.toString()));
    call("m", "trace_level");
    call("m", "trace_count");

    assertThat(post("/v2/trace/setting", "{\"trace_rate\":null}").text())
        .isEqualTo(settings("\"OFF\"", "1", "-1", file.toString()));
    assertThat(text("/v2/models/m/trace/setting"))
        .isEqualTo(settings("\"OFF\"", "1", "-1", file.toString()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|500|failed to parse the request JSON buffer: The document is empty. at 0",
        "{\"trace_file\":\"a\"}|501|trace file location can not be updated through network protocol",
        "{\"trace_level\":[\"OFF\",\"TENSORS\"]}|400|Expect only one trace level 'OFF' is specified",
        "{\"trace_rate\":\"many\"}|400|Unable to parse 'trace_rate', got: many",
        "{\"trace_rate\":\"12x\"}|400|Unable to parse 'trace_rate', got: 12x",
        "{\"trace_rate\":\" 1\"}|400|Unable to parse 'trace_rate', got:  1",
        "{\"trace_rate\":\"-1\"}|400|Unable to parse 'trace_rate', value is out of range [ 0,"
            + " 4294967295 ], got: -1",
        "{\"log_frequency\":\"-1\"}|400|Unable to parse 'log_frequency', value is out of range [ 0,"
            + " 4294967295 ], got: -1",
        "{\"trace_count\":\"12x\"}|400|Unable to parse 'trace_count', got: 12x",
        "{\"trace_rate\":\"10000000000\"}|400|Unable to parse 'trace_rate', value is out of range"
            + " [ 0, 4294967295 ], got: 10000000000",
        "{\"log_frequency\":\"10000000000\"}|400|Unable to parse 'log_frequency', value is out of"
            + " range [ 0, 4294967295 ], got: 10000000000",
        "{\"trace_count\":\"10000000000\"}|400|Unable to parse 'trace_count', value is out of range"
            + " [ -1, 2147483647 ], got: 10000000000",
        "{\"trace_count\":\"-2\"}|400|Unable to parse 'trace_count'. Expecting value >= -1, got:-2",
        "{\"trace_rate\":1}|500|attempt to access JSON non-string as" + " string",
        "{\"trace_level\":[\"TIMESTAMPS\"],\"trace_rate\":\"0\"}|400|Attempting to set invalid trace"
            + " setting :sample rate must be non-zero"
      })
  void whatIsNoSettingIsRefusedOverHttp(String body, int status, String text) {
    HttpWire.Response response = post("/v2/trace/setting", body);

    assertThat(response.text()).isEqualTo("{\"error\":\"" + text + "\"}");
    assertThat(response.status()).isEqualTo(status);
  }

  @Test
  void whatIsNoSettingIsRefusedOverGrpc() {
    assertRefused(
        Status.Code.UNIMPLEMENTED,
        "trace file location can not be updated through network protocol",
        () -> call("", "trace_file", "a"));
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        "expect only 1 value for 'trace_rate'",
        () -> call("", "trace_rate", "1", "2"));
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        "Unable to parse 'trace_count'. Expecting value >= -1, got: -2",
        () -> call("", "trace_count", "-2"));
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        "Unable to parse 'trace_rate', got: 12x",
        () -> call("", "trace_rate", "12x"));
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        "Unable to parse 'trace_rate', value is out of range [ 0, 4294967295 ], got: -1",
        () -> call("", "trace_rate", "-1"));
    assertRefused(
        Status.Code.NOT_FOUND,
        "Request for unknown model: 'none' is not found",
        () -> call("none", "trace_rate", "1"));
  }

  private static void assertRefused(Status.Code code, String text, Runnable call) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(call::run)
        .satisfies(refused -> {
          assertThat(refused.getStatus().getCode()).isEqualTo(code);
          assertThat(refused.getStatus().getDescription()).isEqualTo(text);
        });
  }

  @Test
  void ratesAndFrequenciesMayHave32Bits() {
    assertThat(
            post(
                    "/v2/trace/setting",
                    "{\"trace_rate\":\"4294967295\",\"log_frequency\":\"2147483648\"}")
                .text())
        .contains("\"trace_rate\":\"4294967295\"", "\"log_frequency\":\"2147483648\"");
    assertThat(call("", "trace_rate", "2147483648").getSettingsOrThrow("trace_rate").getValueList())
        .containsExactly("2147483648");
  }

  @Test
  void unknownLevelsAreIgnored() {
    for (String levels : List.of("\"ALL\",\"TENSORS\"", "\"ALL\"")) {
      assertThat(post("/v2/trace/setting", "{\"trace_level\":[%s]}".formatted(levels)).text())
          .as(levels)
          .contains("\"trace_level\":[\"TENSORS\"]");
    }
    for (String[] levels : List.of(new String[] {"TIMESTAMPS", "MIN"}, new String[] {"MIN"})) {
      assertThat(call("", "trace_level", levels).getSettingsOrThrow("trace_level").getValueList())
          .containsExactly("TIMESTAMPS");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--trace-config=rate=1, trace file name is not given",
    "--trace-config=rate=0, sample rate must be non-zero"
  })
  void aServerThatCannotTraceSaysSoAtItsStart(String option, String reason) throws IOException {
    var options =
        LocalServer.options(folder.resolve("models"), "--trace-config=level=TIMESTAMPS", option);
    try (var log = new LogCapture(InferenceServer.class.getName());
        var _ = new LocalServer(options, new CheckedBufferPool())) {
      assertThat(log.messages()).contains("no request is traced: " + reason);
    }
  }

  @Test
  void onlyTheServerAndItsModelsHaveSettings() {
    assertThat(
            wire.send("GET", "/v2/models/m/versions/1/trace/setting", new byte[0], Map.of())
                .status())
        .isEqualTo(404);
    HttpWire.Response unknown =
        wire.send("GET", "/v2/models/none/trace/setting", new byte[0], Map.of());
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(text("/v2")).contains("\"trace\",\"logging\"]");
  }

  @Test
  void aRequestOverHttpIsTraced() throws IOException {
    inferOverHttp("m", "INPUT0", "before");
    trace("\"TIMESTAMPS\"");
    inferOverHttp("m", "INPUT0", "r1");

    Map<String, Object> trace = Objects.requireNonNull(traces().get(1L));

    assertThat(trace)
        .containsEntry("model_name", "m")
        .containsEntry("request_id", "r1")
        .doesNotContainKey("parent_id");
    assertThat(number(trace, "model_version")).isEqualTo(1);
    assertInOrder(
        trace,
        "HTTP_RECV_START",
        "HTTP_RECV_END",
        "REQUEST_START",
        "QUEUE_START",
        "COMPUTE_START",
        "COMPUTE_INPUT_END",
        "COMPUTE_OUTPUT_START",
        "COMPUTE_END",
        "REQUEST_END",
        "INFER_RESPONSE_COMPLETE",
        "HTTP_SEND_START",
        "HTTP_SEND_END");
  }

  @Test
  void theContextOfAClientsTraceIsIgnored() throws IOException {
    trace("\"TIMESTAMPS\"");
    call("", "trace_rate", "2");
    inferOverHttp(
        "m",
        "INPUT0",
        "first",
        Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
    inferOverHttp("m", "INPUT0", "second");

    Map<Long, Map<String, Object>> traces = traces();

    assertThat(traces).hasSize(1);
    assertThat(traces.get(1L)).containsEntry("request_id", "second");
  }

  @Test
  void aRequestOverGrpcIsTraced() throws IOException {
    trace("\"TIMESTAMPS\"");
    var request = ModelInferRequest.newBuilder().setModelName("m");
    request.addInputsBuilder().setName("INPUT0").setDatatype("INT32").addShape(1);
    request.addRawInputContents(ByteString.copyFrom(new byte[4]));
    grpc.modelInfer(request.build());

    Map<String, Object> trace = Objects.requireNonNull(traces().get(1L));

    assertThat(trace).containsEntry("model_name", "m").doesNotContainKey("request_id");
    assertInOrder(
        trace,
        "GRPC_WAITREAD_START",
        "GRPC_WAITREAD_END",
        "REQUEST_START",
        "QUEUE_START",
        "COMPUTE_START",
        "COMPUTE_END",
        "REQUEST_END",
        "INFER_RESPONSE_COMPLETE",
        "GRPC_SEND_START",
        "GRPC_SEND_END");
  }

  private static ModelInferRequest request(String model, String input, String id) {
    var request = ModelInferRequest.newBuilder().setModelName(model).setId(id);
    request.addInputsBuilder().setName(input).setDatatype("INT32").addShape(1);
    return request.addRawInputContents(ByteString.copyFrom(new byte[4])).build();
  }

  @Test
  void eachRequestOfAStreamIsTraced() throws Exception {
    trace("\"TIMESTAMPS\"");
    var ended = new StreamEnd();
    StreamObserver<ModelInferRequest> requests =
        GRPCInferenceServiceGrpc.newStub(server.channel()).modelStreamInfer(ended);
    requests.onNext(request("m", "INPUT0", "a"));
    requests.onNext(request("m", "INPUT0", "b"));
    requests.onNext(request("m", "WRONG", "refused"));
    requests.onCompleted();
    ended.await();

    Map<Long, Map<String, Object>> traces = traces();

    assertThat(traces).hasSize(3);
    for (Map<String, Object> trace : traces.values()) {
      assertInOrder(
          trace,
          "GRPC_WAITREAD_START",
          "GRPC_WAITREAD_END",
          "REQUEST_START",
          "REQUEST_END",
          "GRPC_SEND_START",
          "GRPC_SEND_END");
      assertThat(trace.containsKey("COMPUTE_START"))
          .isEqualTo(!Objects.equals(trace.get("request_id"), "refused"));
    }
  }

  @Test
  void aMessageThatCannotBeDecodedIsTraced() throws IOException {
    trace("\"TIMESTAMPS\"");
    var undecodable = request("m", "INPUT0", "").toBuilder();
    undecodable.getInputsBuilder(0).getContentsBuilder().addIntContents(1);
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> grpc.modelInfer(undecodable.build()));

    Map<String, Object> trace = Objects.requireNonNull(traces().get(1L));

    assertThat(trace).containsKeys("GRPC_WAITREAD_START", "GRPC_SEND_END");
    assertThat(trace).doesNotContainKeys("model_name", "REQUEST_START");
  }

  @Test
  void aStreamOfEventsIsOneTraceWithTheActivitiesOfItsBackend() throws IOException {
    trace("\"TIMESTAMPS\"");
    TokenBackend.tell(
        new TokenBackend.Step.Token("a"),
        new TokenBackend.Step.Token("b"),
        new TokenBackend.Step.End());
    HttpWire.Response response = post("/v2/models/tokens/generate_stream", "{\"TEXT\":\"x\"}");
    assertThat(response.status()).isEqualTo(200);

    Map<Long, Map<String, Object>> traces = traces();

    assertThat(traces).hasSize(1);
    Map<String, Object> trace = Objects.requireNonNull(traces.get(1L));
    assertInOrder(
        trace,
        "HTTP_RECV_START",
        "HTTP_RECV_END",
        "REQUEST_START",
        "COMPUTE_START",
        "TOKEN",
        "REQUEST_END");
    assertThat(trace).containsKey("INFER_RESPONSE_COMPLETE"); // on another thread
  }

  @Test
  void theStepsOfAnEnsembleAreTracedAsItsChildren() throws IOException {
    trace("\"TIMESTAMPS\"");
    inferOverHttp("e", "IN", "r");

    Map<Long, Map<String, Object>> traces = traces();

    assertThat(traces).hasSize(3);
    assertThat(traces.get(1L))
        .containsEntry("model_name", "e")
        .containsKeys("HTTP_RECV_START", "REQUEST_START", "REQUEST_END", "HTTP_SEND_END")
        .doesNotContainKeys("parent_id", "COMPUTE_START");
    for (long step = 2; step <= 3; step++) {
      Map<String, Object> child = Objects.requireNonNull(traces.get(step));
      assertThat(child)
          .containsEntry("model_name", "m")
          .containsEntry("request_id", "r")
          .doesNotContainKey("HTTP_RECV_START");
      assertThat(number(child, "parent_id")).isEqualTo(1);
      assertInOrder(child, "REQUEST_START", "QUEUE_START", "COMPUTE_START", "REQUEST_END");
    }
  }

  @Test
  void tensorsAreTracedAsText() throws IOException {
    trace("\"TIMESTAMPS\",\"TENSORS\"");
    inferOverHttp("m", "INPUT0", "");

    Map<String, Object> trace = Objects.requireNonNull(traces().get(1L));

    for (String tensor : List.of("TENSOR_QUEUE_INPUT INPUT0", "TENSOR_BACKEND_OUTPUT OUTPUT0")) {
      Object traced = Objects.requireNonNull(trace.get(tensor));
      assertThat(Json.member(traced, "data")).isEqualTo("5,6");
      assertThat(Json.member(traced, "shape")).isEqualTo("2");
      assertThat(Json.member(traced, "dtype")).isEqualTo("INT32");
    }
  }
}
