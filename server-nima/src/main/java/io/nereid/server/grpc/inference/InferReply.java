package io.nereid.server.grpc.inference;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.RequestMemory.Reservation;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoResponseWriter;
import io.nereid.server.frontend.FinishedResponse;
import io.nereid.server.frontend.RequestTelemetry;
import io.nereid.server.grpc.call.ClientMessages;
import io.nereid.server.grpc.call.GrpcErrors;
import io.nereid.server.grpc.call.GrpcRequests;
import io.nereid.server.grpc.connection.CallConnection;
import io.nereid.server.grpc.message.LentMessage;
import io.nereid.server.grpc.message.ResponseCompression;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends the outcome of a call of {@code ModelInfer} to its client, by the thread that has it. Told
 * of a cancellation by the call's event loop meanwhile.
 */
final class InferReply implements ResponseReceiver, IncomingMessage.Reply {
  private static final System.Logger LOG = System.getLogger(InferReply.class.getName());

  private final InferCall method;
  private final ServerCall<ProtoRequest, OutgoingMessage> call;

  /** Of the report of the load that the client wants; null for none. */
  private final @Nullable String reportFormat;

  private final ResponsePromise promise = new ResponsePromise(this);
  private String version = "";
  private @Nullable LoadedModel model;
  private List<OutputRequest> outputs = List.of();

  /** Volatile, since a cancellation may come while it gets a trace. */
  private volatile RequestTelemetry telemetry;

  /** What a large response takes until the client has read it. */
  private volatile @Nullable Reservation unread;

  InferReply(
      InferCall method,
      ServerCall<ProtoRequest, OutgoingMessage> call,
      @Nullable String reportFormat,
      RequestTelemetry telemetry) {
    this.method = method;
    this.call = call;
    this.reportFormat = reportFormat;
    this.telemetry = telemetry;
  }

  /** The outcome. */
  ResponsePromise promise() {
    return promise;
  }

  /** Notes for what the client asks, before anything is known of it. */
  void name(ProtoRequest request) {
    version = request.modelVersion();
    telemetry.model(request.modelName(), version);
    telemetry.id(request.id());
  }

  @Override
  public boolean isAwaitedHere() {
    return CallConnection.isAlone(call);
  }

  /** New connections and calls, also those that have come meanwhile. */
  @Override
  public boolean keepsOthersWaiting() {
    return true;
  }

  @Override
  public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
    telemetry.executed(queueNanos, inputNanos + inferNanos + outputNanos);
  }

  /** The trace is closed with the outcome. A cancellation may have decided that before. */
  @Override
  public RequestTelemetry begin(LoadedModel served, @Nullable RequestTrace trace) {
    RequestTelemetry traced = telemetry.withTrace(trace);
    if (trace != null) {
      traced.reached(TracePoint.GRPC_WAITREAD_START);
      telemetry = traced;
      if (promise.isDecided()) {
        traced.close();
      }
    }
    if (served.config().decoupled()) {
      throw InferenceException.unsupported(
          "ModelInfer RPC doesn't support models with decoupled transaction policy");
    }
    model = served;
    return traced;
  }

  /** Submits the request. Takes it. */
  void submit(RequestAdmission engine, DecodedRequest decoded, long timeLeftNanos) {
    telemetry.reached(TracePoint.GRPC_WAITREAD_END);
    outputs = decoded.outputs();
    engine.submit(
        Objects.requireNonNull(model),
        GrpcRequests.version(version),
        decoded,
        promise,
        timeLeftNanos);
  }

  @Override
  public void answer(InferenceResponse response) {
    telemetry.reached(TracePoint.INFER_RESPONSE_COMPLETE);
    if (FinishedResponse.byteSize(response, outputs) < LongWork.LEAST) {
      send(response, method.pool());
      endTrace();
      return;
    }
    ClientMessages messages = method.messages();
    messages.later(
        call,
        () -> {
          send(response, messages.memory(call, method.pool()));
          endTrace();
        });
  }

  private void endTrace() {
    RequestTelemetry ended = telemetry;
    ended.reached(TracePoint.GRPC_SEND_END);
    ended.close();
  }

  private void send(InferenceResponse response, LeaseSource classes) {
    try {
      send(
          FinishedResponse.of(
              response, outputs, Objects.requireNonNull(model), classes, /* last= */ true));
    } catch (InferenceException failure) {
      refuse(failure.withoutRetryAfter());
    } catch (RuntimeException | Error thrown) {
      if (call.isCancelled()) { // then gRPC throws
        LOG.log(System.Logger.Level.DEBUG, "a response was not sent", thrown);
      } else {
        refuse(UnexpectedFailures.ofExecuted(LOG, "the response of ModelInfer", thrown));
      }
    }
  }

  /** Takes the response, also when this throws. */
  private void send(InferenceResponse answer) {
    @Nullable InferenceResponse owned = answer;
    try {
      var message = new ProtoResponseWriter(answer);
      telemetry.reached(TracePoint.GRPC_SEND_START);
      if (message.byteSize() > RequestMemory.UNCOUNTED) {
        reserve(message.byteSize());
      }
      method.compression().begin(call);
      call.sendHeaders(new Metadata());
      LentMessage lent =
          method.compression() == ResponseCompression.NONE
              ? method.messages().lend(call, message, answer)
              : null;
      if (lent == null) {
        call.sendMessage(message); // copies before it returns
      } else {
        owned = null;
        lent.sendTo(call);
      }
      call.close(Status.OK, method.reports().addTo(new Metadata(), reportFormat));
    } finally {
      if (owned != null) {
        owned.close();
      }
    }
  }

  private void reserve(long byteSize) {
    unread = method.messages().reserve(call, byteSize);
    if (call.isCancelled()) {
      release(); // the listener may have been told before
    }
  }

  /** Ends the reservation of a large response; called when the call has ended. */
  void release() {
    Reservation reservation = unread;
    if (reservation != null) {
      reservation.close();
    }
  }

  @Override
  public void fail(InferenceException failure) {
    telemetry.reached(TracePoint.GRPC_SEND_START);
    telemetry.failed(failure);
    refuse(failure);
    endTrace();
  }

  private void refuse(InferenceException failure) {
    OutputRequest.closeTargets(outputs);
    try {
      call.close(
          GrpcErrors.status(failure),
          method.reports().addTo(GrpcErrors.trailers(failure), reportFormat));
    } catch (RuntimeException closed) {
      LOG.log(System.Logger.Level.DEBUG, "a failure was not sent", closed);
    }
  }
}
