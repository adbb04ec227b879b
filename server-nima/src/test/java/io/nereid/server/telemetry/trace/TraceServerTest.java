package io.nereid.server.telemetry.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.call.ScriptedBackend;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.support.StreamEnd;
import io.nereid.server.support.TokenBackend;
import io.nereid.spi.CallResponse;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.ModelCall;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The traces of requests on both protocols. Sources: Triton, protocol documentation,
 * extension_trace.md, user_guide/trace.md; QA L0_trace; src/http_server.cc and
 * src/grpc/grpc_server.cc for texts.
 */
@Timeout(60)
class TraceServerTest {
  private TracedServer server;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    server = new TracedServer(folder);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void inferOverHttp(String model, String input, String id) {
    inferOverHttp(model, input, id, Map.of());
  }

  private void inferOverHttp(String model, String input, String id, Map<String, String> headers) {
    String body =
        "{\"id\":\"%s\",\"inputs\":[{\"name\":\"%s\",\"datatype\":\"INT32\",\"shape\":[2],\"data\":[5,6]}]}"
            .formatted(id, input);
    assertThat(
            server
                .wire()
                .send("POST", "/v2/models/" + model + "/infer", body.getBytes(UTF_8), headers)
                .status())
        .isEqualTo(200);
  }

  /** By id of a trace: its objects in one, with the times of its timestamps by their names. */
  private Map<Long, Map<String, Object>> traces() throws IOException {
    server.close();
    Map<Long, Map<String, Object>> traces = new TreeMap<>();
    for (Object object : (List<?>) Json.parse(Files.readAllBytes(server.file()))) {
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
  void aRequestOverHttpIsTraced() throws IOException {
    inferOverHttp("m", "INPUT0", "before");
    server.trace("\"TIMESTAMPS\"");
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
    server.trace("\"TIMESTAMPS\"");
    server.call("", "trace_rate", "2");
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
    server.trace("\"TIMESTAMPS\"");
    var request = ModelInferRequest.newBuilder().setModelName("m");
    request.addInputsBuilder().setName("INPUT0").setDatatype("INT32").addShape(1);
    request.addRawInputContents(ByteString.copyFrom(new byte[4]));
    server.grpc().modelInfer(request.build());

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
    server.trace("\"TIMESTAMPS\"");
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
    server.trace("\"TIMESTAMPS\"");
    var undecodable = request("m", "INPUT0", "").toBuilder();
    undecodable.getInputsBuilder(0).getContentsBuilder().addIntContents(1);
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> server.grpc().modelInfer(undecodable.build()));

    Map<String, Object> trace = Objects.requireNonNull(traces().get(1L));

    assertThat(trace).containsKeys("GRPC_WAITREAD_START", "GRPC_SEND_END");
    assertThat(trace).doesNotContainKeys("model_name", "REQUEST_START");
  }

  @Test
  void aStreamOfEventsIsOneTraceWithTheActivitiesOfItsBackend() throws IOException {
    server.trace("\"TIMESTAMPS\"");
    TokenBackend.tell(
        new TokenBackend.Step.Token("a"),
        new TokenBackend.Step.Token("b"),
        new TokenBackend.Step.End());
    HttpWire.Response response =
        server.post("/v2/models/tokens/generate_stream", "{\"TEXT\":\"x\"}");
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
    server.trace("\"TIMESTAMPS\"");
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

  private static void answer(DetachedRequest request) {
    ModelCall call =
        ModelCall.to("m").input("INPUT0", request.input("INPUT0").orElseThrow()).build();
    CallResponse response = request.calls().infer(call);
    request.give(response.output("OUTPUT0"), response.keep());
    request.send();
  }

  @Test
  void theCallsOfAModelAreTracedAsItsChildrenBehindItsExecutionToo() throws IOException {
    ScriptedBackend.script(
        "caller",
        (batch, results) -> {
          Tensor input = batch.input(0, "INPUT0").orElseThrow();
          batch.calls(0).infer(ModelCall.to("m").input("INPUT0", input).build()).close();
          DetachedRequest request = results.detach(0);
          Thread.ofVirtual().start(() -> answer(request));
        });
    server.trace("\"TIMESTAMPS\"");
    inferOverHttp("caller", "INPUT0", "r");

    Map<Long, Map<String, Object>> traces = traces();

    assertThat(traces).hasSize(3);
    assertThat(traces.get(1L))
        .containsEntry("model_name", "caller")
        .containsKeys("COMPUTE_START", "COMPUTE_END", "REQUEST_END")
        .doesNotContainKey("parent_id");
    for (long call = 2; call <= 3; call++) {
      Map<String, Object> child = Objects.requireNonNull(traces.get(call));
      assertThat(child).containsEntry("model_name", "m").containsEntry("request_id", "r");
      assertThat(number(child, "parent_id")).isEqualTo(1);
      assertInOrder(child, "REQUEST_START", "QUEUE_START", "COMPUTE_START", "REQUEST_END");
    }
  }

  @Test
  void tensorsAreTracedAsText() throws IOException {
    server.trace("\"TIMESTAMPS\",\"TENSORS\"");
    inferOverHttp("m", "INPUT0", "");

    Map<String, Object> trace = Objects.requireNonNull(traces().get(1L));

    for (String tensor : List.of("TENSOR_QUEUE_INPUT INPUT0", "TENSOR_BACKEND_OUTPUT OUTPUT0")) {
      Object traced = Objects.requireNonNull(trace.get(tensor));
      assertThat(Json.member(traced, "data")).isEqualTo("5,6");
      assertThat(Json.member(traced, "shape")).isEqualTo("2");
      assertThat(Json.member(traced, "dtype")).isEqualTo("INT32");
    }
  }

  @Test
  void ofATensorTheFirstThousandElementsAreTraced() throws IOException {
    server.trace("\"TENSORS\"");
    String elements = IntStream.range(0, 3000).mapToObj(Integer::toString).collect(joining(","));
    String body =
        "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"INT32\",\"shape\":[3000],\"data\":[%s]}]}"
            .formatted(elements);
    assertThat(server.post("/v2/models/m/infer", body).status()).isEqualTo(200);

    Object traced =
        Objects.requireNonNull(
            Objects.requireNonNull(traces().get(1L)).get("TENSOR_QUEUE_INPUT INPUT0"));

    assertThat(Json.member(traced, "data"))
        .isEqualTo(elements.substring(0, elements.indexOf(",1000,")) + ",...");
    assertThat(Json.member(traced, "shape")).isEqualTo("3000");
  }

  @Test
  void tensorsOfAnEnsembleAreTracedWithThoseOfItsSteps() throws IOException {
    server.trace("\"TENSORS\"");
    inferOverHttp("e", "IN", "");

    Map<Long, Map<String, Object>> traces = traces();

    assertThat(traces).hasSize(3);
    assertThat(traces.get(1L)).containsKeys("TENSOR_QUEUE_INPUT IN", "TENSOR_BACKEND_OUTPUT OUT");
    for (long step = 2; step <= 3; step++) {
      assertThat(traces.get(step))
          .containsKeys("TENSOR_QUEUE_INPUT INPUT0", "TENSOR_BACKEND_OUTPUT OUTPUT0");
    }
  }
}
