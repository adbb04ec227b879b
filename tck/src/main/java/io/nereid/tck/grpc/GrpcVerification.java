package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.nereid.tck.ServerVerification;
import io.nereid.tck.support.Polling;
import io.nereid.tck.support.Samples;
import io.nereid.tck.wire.GRPCInferenceServiceGrpc;
import io.nereid.tck.wire.InferParameter;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelInferRequest.InferInputTensor;
import io.nereid.tck.wire.ModelInferRequest.InferRequestedOutputTensor;
import io.nereid.tck.wire.ModelInferResponse;
import io.nereid.tck.wire.RepositoryIndexResponse;
import io.nereid.tck.wire.RepositoryIndexResponse.ModelIndex;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tests on a server's gRPC port, over one channel. */
public abstract class GrpcVerification extends ServerVerification {
  /** The prefix of messages of core validation when the request has no id. */
  static final String NO_ID = "[request id: <id_unknown>] ";

  static final ByteString ROW = ints(IntStream.range(0, 16).toArray());

  /** A row, added to itself. */
  static final ByteString SUMS = ints(IntStream.range(0, 16).map(i -> 2 * i).toArray());

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private @Nullable ManagedChannel channel;

  @BeforeAll
  void openChannel() {
    assumeTrue(server().grpcPort() > 0, "there is no address of gRPC");
    channel =
        ManagedChannelBuilder.forAddress(server().grpcHost(), server().grpcPort())
            .usePlaintext()
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .intercept(new RecordedCalls(server().log()))
            .build();
  }

  @AfterAll
  void closeChannel() {
    if (channel != null) {
      channel.shutdownNow();
    }
  }

  final ManagedChannel channel() {
    if (channel == null) {
      throw new IllegalStateException("not connected");
    }
    return channel;
  }

  /**
   * A message as tests write it: in the text format of protobuf, where {@code $INPUT0:INT32[1,16]}
   * is an input without data, {@code $row} the bytes of an input of the model {@code simple}, and
   * {@code $simple} a request that the model answers.
   */
  static Message message(Message prototype, String text) {
    String expanded =
        text.replace("$simple", "model_name: 'simple' $inputs $row $row")
            .replace("$inputs", "$INPUT0:INT32[1,16] $INPUT1:INT32[1,16]")
            .replace("$row", "raw_input_contents: '" + TextFormat.escapeBytes(ROW) + "'")
            .replaceAll(
                "\\$(\\w+):(\\w*)\\[([^]]*)\\]",
                "inputs { name: '$1' datatype: '$2' shape: [$3] }");
    var builder = prototype.newBuilderForType();
    try {
      TextFormat.merge(expanded, builder);
    } catch (TextFormat.ParseException wrong) {
      throw new IllegalArgumentException(expanded, wrong);
    }
    return builder.build();
  }

  /** Calls a method of the service with a {@link #message}. */
  @SuppressWarnings("unchecked") // all methods are of messages
  final Message call(String name, String request) {
    var method =
        (MethodDescriptor<Message, Message>)
            GRPCInferenceServiceGrpc.getServiceDescriptor().getMethods().stream()
                .filter(each -> name.equals(each.getBareMethodName()))
                .findFirst()
                .orElseThrow();
    var marshaller = (PrototypeMarshaller<Message>) method.getRequestMarshaller();
    var message = message(Objects.requireNonNull(marshaller.getMessagePrototype()), request);
    return call(method, message);
  }

  /** Calls a method within the time that a call may take. */
  final <Q, A> A call(MethodDescriptor<Q, A> method, Q request) {
    var options = CallOptions.DEFAULT.withDeadlineAfter(Polling.maxWait(TIMEOUT));
    return ClientCalls.blockingUnaryCall(channel(), method, options, request);
  }

  /** The call ends with that code and text, as {@link #rejected(Runnable, Status.Code, String)}. */
  final void rejected(String method, String request, Status.Code code, String text) {
    rejected(() -> call(method, request), code, text);
  }

  final ModelInferResponse infer(ModelInferRequest.Builder request) {
    return call(GRPCInferenceServiceGrpc.getModelInferMethod(), request.build());
  }

  static InferParameter parameter(boolean value) {
    return InferParameter.newBuilder().setBoolParam(value).build();
  }

  static InferParameter parameter(long value) {
    return InferParameter.newBuilder().setInt64Param(value).build();
  }

  static InferParameter parameter(String value) {
    return InferParameter.newBuilder().setStringParam(value).build();
  }

  static InferRequestedOutputTensor output(String name) {
    return InferRequestedOutputTensor.newBuilder().setName(name).build();
  }

  /** INT32 elements in raw form. */
  static ByteString ints(int... values) {
    return ByteString.copyFrom(Samples.ints(values));
  }

  /** A request for a model with one input. */
  static ModelInferRequest.Builder request(String model, InferInputTensor.Builder input) {
    return ModelInferRequest.newBuilder().setModelName(model).addInputs(input);
  }

  /** A request for a model with one input, in raw form. */
  static ModelInferRequest.Builder request(
      String model, InferInputTensor.Builder input, ByteString raw) {
    return request(model, input).addRawInputContents(raw);
  }

  /** An input tensor without data. */
  static InferInputTensor.Builder input(String name, String dataType, long... shape) {
    return InferInputTensor.newBuilder()
        .setName(name)
        .setDatatype(dataType)
        .addAllShape(Arrays.stream(shape).boxed().toList());
  }

  /** A request for {@code simple} whose two inputs are a row each, in raw form. */
  static ModelInferRequest.Builder simple() {
    return request("simple", input("INPUT0", "INT32", 1, 16), ROW)
        .addInputs(input("INPUT1", "INT32", 1, 16))
        .addRawInputContents(ROW);
  }

  /** What the index shows. */
  final List<ModelIndex> index(String request) {
    return ((RepositoryIndexResponse) call("RepositoryIndex", request)).getModelsList();
  }

  static ModelIndex row(String model, String version, String state, String reason) {
    var row =
        "name: '%s' version: '%s' state: '%s' reason: \"%s\""
            .formatted(model, version, state, reason);
    return (ModelIndex) message(ModelIndex.getDefaultInstance(), row);
  }

  /** The raw bytes of the output of that name. */
  static ByteString raw(ModelInferResponse response, String output) {
    assertThat(response.getRawOutputContentsList()).hasSameSizeAs(response.getOutputsList());
    for (int i = 0; i < response.getOutputsCount(); i++) {
      if (response.getOutputs(i).getName().equals(output)) {
        return response.getRawOutputContents(i);
      }
    }
    throw new AssertionError("no output '%s' in %s".formatted(output, response));
  }

  /**
   * The call ends with that code and text, and the channel carries the next good request.
   *
   * @param text ends in {@code ...} where only its beginning is fixed
   */
  final void rejected(Runnable call, Status.Code code, String text) {
    var failure = assertThat(failure(call, code));
    if (text.endsWith("...")) {
      failure.startsWith(text.substring(0, text.length() - 3));
    } else {
      failure.isEqualTo(text);
    }
    answersAGoodRequest();
  }

  final void inferRefused(ModelInferRequest.Builder request, String text) {
    rejected(() -> infer(request), Status.Code.INVALID_ARGUMENT, text);
  }

  private static String failure(Runnable call, Status.Code code) {
    var thrown = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(thrown).as("the call fails").isNotNull();
    assertThat(thrown.getStatus().getCode()).as(thrown.getMessage()).isEqualTo(code);
    String text = thrown.getStatus().getDescription();
    return text == null ? "" : text;
  }

  final void answersAGoodRequest() {
    assertThat(raw(infer(simple()), "OUTPUT0")).isEqualTo(SUMS);
  }

  static List<Long> shapeOf(ModelInferResponse response, int output) {
    return response.getOutputs(output).getShapeList();
  }
}
