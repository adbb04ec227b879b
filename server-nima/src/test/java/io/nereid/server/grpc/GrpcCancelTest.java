package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.support.HeldServer;
import io.nereid.tck.gate.Execution;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** gRPC clients that cancel, or whose deadline expires, while their requests are queued or run. */
@Timeout(120)
class GrpcCancelTest {
  enum Method {
    UNARY,
    STREAM;

    MethodDescriptor<ModelInferRequest, ?> descriptor() {
      return switch (this) {
        case UNARY -> GRPCInferenceServiceGrpc.getModelInferMethod();
        case STREAM -> GRPCInferenceServiceGrpc.getModelStreamInferMethod();
      };
    }
  }

  /** How a call ends. */
  enum End {
    CANCEL(Status.Code.CANCELLED),
    DEADLINE(Status.Code.DEADLINE_EXCEEDED);

    final Status.Code code;

    End(Status.Code code) {
      this.code = code;
    }
  }

  private HeldServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new HeldServer(directory, "");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static ModelInferRequest request(String model, String id) {
    var request = ModelInferRequest.newBuilder().setModelName(model).setId(id);
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(3);
    return request.addRawInputContents(ByteString.copyFrom(new byte[3])).build();
  }

  /** A call and its final status. */
  private record Call(ClientCall<?, ?> call, CompletableFuture<Status> ended) {}

  private Call call(Method method, End end, String model, String... ids) {
    var options =
        end == End.DEADLINE
            ? CallOptions.DEFAULT.withDeadlineAfter(500, TimeUnit.MILLISECONDS)
            : CallOptions.DEFAULT;
    return call(method.descriptor(), options, model, ids);
  }

  private <T> Call call(
      MethodDescriptor<ModelInferRequest, T> method,
      CallOptions options,
      String model,
      String... ids) {
    ClientCall<ModelInferRequest, T> call = server.channel().newCall(method, options);
    var ended = new CompletableFuture<Status>();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.complete(status);
          }
        },
        new Metadata());
    call.request(ids.length);
    for (String id : ids) {
      call.sendMessage(request(model, id));
    }
    call.halfClose();
    return new Call(call, ended);
  }

  private static void assertEnds(Call call, End end) throws Exception {
    if (end == End.CANCEL) {
      call.call().cancel("enough", null);
    }
    Status.Code code = call.ended().get(60, TimeUnit.SECONDS).getCode();
    if (code == Status.Code.OK) {
      assertThat(end).as("a stream that the server saw end first").isEqualTo(End.DEADLINE);
    } else {
      assertThat(code).isEqualTo(end.code);
    }
  }

  @ParameterizedTest
  @CsvSource({"UNARY,CANCEL", "UNARY,DEADLINE", "STREAM,CANCEL", "STREAM,DEADLINE"})
  void queuedRequestsOfAnEndedCallNeverRunAndReleaseTheirMemory(Method method, End end)
      throws Exception {
    Call plug = call(Method.UNARY, End.CANCEL, HeldServer.HELD, "plug");
    server.gate().awaitBegun(1);
    long leases = server.outstanding();
    String[] ids = method == Method.UNARY ? new String[] {"a"} : new String[] {"a", "b", "c"};
    Call call = call(method, end, HeldServer.HELD, ids);
    if (end == End.CANCEL) {
      server.awaitOutstanding((1 + ids.length) * leases);
    }

    assertEnds(call, end);
    server.awaitOutstanding(leases);
    server.gate().openAll();

    assertThat(plug.ended().get(60, TimeUnit.SECONDS).isOk()).isTrue();
    assertThat(server.gate().executions().stream().map(Execution::ids))
        .containsExactly(List.of("plug"));
  }

  @ParameterizedTest
  @CsvSource({"UNARY,CANCEL", "UNARY,DEADLINE", "STREAM,CANCEL", "STREAM,DEADLINE"})
  void cancelsTheExecutionOfAnEndedCall(Method method, End end) throws Exception {
    server.endlessGate().openAll();
    Call call = call(method, end, HeldServer.ENDLESS, "a");
    server.endlessGate().awaitBegun(1);

    assertEnds(call, end);
    server.endlessGate().awaitEnded(1);
    server.awaitOutstanding(0);
  }
}
