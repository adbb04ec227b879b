package io.nereid.server.grpc.inference;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoStreamResponse;
import io.nereid.server.frontend.FinishedResponse;
import io.nereid.server.frontend.RequestTelemetry;
import io.nereid.server.grpc.call.GrpcRequests;
import io.nereid.server.grpc.call.LoggedCalls;
import io.nereid.server.telemetry.access.AccessEntry;
import io.nereid.server.telemetry.access.AccessLog;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request of a stream, and the receiver of its responses. Set up by the event loop that read
 * it; its responses come from any thread.
 */
final class StreamRequest implements ResponseReceiver, IncomingMessage.Reply {
  private static final System.Logger LOG = System.getLogger(StreamRequest.class.getName());

  private final StreamWriter writer;
  private final BufferPool pool;

  /** Whether a failure ends the stream. A rejection never does. */
  private final boolean failsStream;

  private final ResponsePromise promise = new ResponsePromise(this);
  private String id = "";
  private String modelName = "";
  private String version = "";
  private boolean wantsEmptyFinalResponse;
  private @Nullable LoadedModel model;
  private List<OutputRequest> outputs = List.of();
  private long inputByteSize;
  private StreamOrder.@Nullable Place<StreamWriter.Message> place;

  private RequestTelemetry telemetry = RequestTelemetry.of(null);

  /** The request's entry in the access log; null if the server has none. */
  private @Nullable AccessEntry access;

  private @Nullable AccessLog accessLog;

  /** Why this class has cancelled the request; null if it has not. */
  private @Nullable InferenceException stopped;

  StreamRequest(StreamWriter writer, BufferPool pool, boolean failsStream) {
    this.writer = writer;
    this.pool = pool;
    this.failsStream = failsStream;
  }

  /** Sets the request's entry in the access log, which ends with the last message. */
  void logged(AccessLog log, AccessEntry entry) {
    accessLog = log;
    access = entry;
    telemetry = RequestTelemetry.of(entry);
    LoggedCalls.ended(entry, null); // unless a failure is noted
  }

  /** Sets the names by which messages refer to the request. */
  void name(ProtoRequest request) {
    id = request.id();
    modelName = request.modelName();
    version = request.modelVersion();
    wantsEmptyFinalResponse = request.wantsEmptyFinalResponse();
    telemetry.model(modelName, version);
    telemetry.id(id);
  }

  /** The trace is closed with the last message. */
  @Override
  public RequestTelemetry begin(LoadedModel served, @Nullable RequestTrace trace) {
    model = served;
    telemetry = telemetry.withTrace(trace);
    telemetry.reached(TracePoint.GRPC_WAITREAD_START);
    return telemetry;
  }

  /** Ends what is recorded of a request that the writer has not counted: its stream has ended. */
  void abandon() {
    telemetry.close();
    note(InferenceException.cancelled());
    endAccess();
  }

  /** Sets what the request asks for, and counts its inputs. */
  void expect(DecodedRequest decoded) {
    outputs = decoded.outputs();
    for (Tensor input : decoded.inputs()) {
      inputByteSize += input.byteSize();
    }
    telemetry.reached(TracePoint.GRPC_WAITREAD_END);
    if (access != null) {
      access.received(inputByteSize);
    }
  }

  boolean isDecoupled() {
    return model != null && model.config().decoupled();
  }

  long inputByteSize() {
    return inputByteSize;
  }

  /** Sets the place of its response in the order of the stream. */
  void place(StreamOrder.Place<StreamWriter.Message> place) {
    this.place = place;
  }

  /** The place of its response; null if that need not wait for others. */
  StreamOrder.@Nullable Place<StreamWriter.Message> place() {
    return place;
  }

  /** Submits the request, after the writer has counted it. Takes {@code decoded}. */
  void submit(RequestAdmission engine, DecodedRequest decoded) {
    engine.submit(
        Objects.requireNonNull(model),
        GrpcRequests.version(version),
        decoded,
        promise,
        GrpcRequests.timeLeftNanos());
  }

  /** The outcome; to be used once the writer has counted the request. */
  ResponsePromise promise() {
    return promise;
  }

  @Override
  public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
    telemetry.executed(queueNanos, inputNanos + inferNanos + outputNanos);
  }

  @Override
  public void next(InferenceResponse response) {
    if (!isDecoupled()) {
      ResponseReceiver.super.next(response);
    } else if (writer.isFull()) {
      response.close();
      stop(
          InferenceException.unavailable(
              "%sthe client reads its stream too slowly: more than %d bytes wait to be read"
                  .formatted(RequestErrors.prefix(id), StreamWindow.MAX_UNREAD_BYTES)));
    } else {
      try {
        send(response, false);
      } catch (Throwable thrown) {
        stop(unsendable(thrown));
      }
    }
  }

  @Override
  public void answer(InferenceResponse response) {
    try {
      send(response, true);
    } catch (Throwable thrown) {
      fail(unsendable(thrown));
    }
  }

  private InferenceException unsendable(Throwable thrown) {
    return UnexpectedFailures.ofExecuted(
        LOG, RequestErrors.prefix(id) + "a response of ModelStreamInfer", thrown);
  }

  @Override
  public void complete() {
    OutputRequest.closeTargets(outputs);
    if (!isDecoupled()) {
      ResponseReceiver.super.complete();
    } else if (wantsEmptyFinalResponse) {
      end(ProtoStreamResponse.end(id, modelName, version));
    } else {
      deliver(null, true);
    }
  }

  @Override
  public void fail(InferenceException failure) {
    OutputRequest.closeTargets(outputs);
    InferenceException reason = stopped == null ? failure : stopped;
    telemetry.failed(reason);
    note(reason);
    if (failsStream) {
      writer.fail(reason);
      telemetry.close();
      endAccess();
    } else {
      end(ProtoStreamResponse.failure(id, modelName, version, reason));
    }
  }

  @Override
  public void reject(InferenceException reason) {
    OutputRequest.closeTargets(outputs);
    telemetry.failed(reason);
    note(reason);
    end(ProtoStreamResponse.rejection(id, reason));
  }

  /** Sends a response; it is closed if it cannot be. */
  private void send(InferenceResponse response, boolean last) {
    telemetry.reached(TracePoint.INFER_RESPONSE_COMPLETE);
    InferenceResponse answer =
        FinishedResponse.of(response, outputs, Objects.requireNonNull(model), pool, last);
    ProtoStreamResponse message;
    try {
      message = ProtoStreamResponse.of(answer, last);
    } catch (RuntimeException | Error unsendable) {
      answer.close();
      throw unsendable;
    }
    deliver(new StreamWriter.Message(message, answer), last);
  }

  private void end(ProtoStreamResponse message) {
    deliver(new StreamWriter.Message(message, null), true);
  }

  /** Passes a message to the stream, or only the end; with the last one, the trace ends. */
  private void deliver(StreamWriter.@Nullable Message message, boolean last) {
    RequestTelemetry ended = telemetry;
    ended.reached(TracePoint.GRPC_SEND_START);
    writer.send(this, message, last);
    ended.reached(TracePoint.GRPC_SEND_END);
    if (last) {
      ended.close();
    }
    if (access != null && message != null) {
      access.sent(access.sentBytes() + message.content().byteSize());
    }
    if (last) {
      endAccess();
    }
  }

  /** Notes why the request has failed. */
  private void note(InferenceException failure) {
    if (access != null) {
      LoggedCalls.ended(access, failure);
    }
  }

  private void endAccess() {
    AccessEntry entry = access;
    AccessLog log = accessLog;
    if (entry != null && log != null) {
      log.end(entry);
    }
  }

  /** Cancels the request; its last message gives {@code reason}. */
  private void stop(InferenceException reason) {
    stopped = reason;
    promise.cancel();
  }
}
