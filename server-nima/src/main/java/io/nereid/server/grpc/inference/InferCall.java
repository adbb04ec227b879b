package io.nereid.server.grpc.inference;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.frontend.RequestTelemetry;
import io.nereid.server.grpc.call.CallAdmission;
import io.nereid.server.grpc.call.CallHeaders;
import io.nereid.server.grpc.call.ClientMessages;
import io.nereid.server.grpc.call.GrpcErrors;
import io.nereid.server.grpc.call.GrpcRequests;
import io.nereid.server.grpc.call.LoadTrailers;
import io.nereid.server.grpc.call.LoggedCalls;
import io.nereid.server.grpc.limits.MessageHead;
import io.nereid.server.grpc.message.ResponseCompression;
import org.jspecify.annotations.Nullable;

/**
 * The method {@code ModelInfer}: one request, one response.
 *
 * @param isLogged whether the server has an access log
 */
public record InferCall(
    ClientRequests requests,
    BufferPool pool,
    CallAdmission admission,
    ClientMessages messages,
    ResponseCompression compression,
    boolean isLogged,
    LoadTrailers reports)
    implements ServerCallHandler<ProtoRequest, OutgoingMessage> {
  private static final System.Logger LOG = System.getLogger(InferCall.class.getName());

  @Override
  public ServerCall.Listener<ProtoRequest> startCall(
      ServerCall<ProtoRequest, OutgoingMessage> call, Metadata headers) {
    var listener =
        new Listener(call, headers, RequestTelemetry.of(isLogged ? LoggedCalls.entry() : null));
    if (admission.refuses(call, listener)) {
      return new ServerCall.Listener<>() {};
    }
    call.request(2); // the second only to notice a client that sends one too many
    return listener;
  }

  /** Called by the call's event loop, one event at a time. */
  private final class Listener extends ServerCall.Listener<ProtoRequest>
      implements MessageHead.Receiver {
    private final ServerCall<ProtoRequest, OutgoingMessage> call;
    private final CallHeaders headers;
    private final InferReply reply;
    private final ResponsePromise promise;

    /** Null if the client has set none. */
    private final @Nullable Deadline deadline = Context.current().getDeadline();

    private @Nullable ProtoRequest received;
    private boolean rejected;

    /** Whether the scheduler was told of the head of the message. */
    private boolean announced;

    Listener(
        ServerCall<ProtoRequest, OutgoingMessage> call,
        Metadata headers,
        RequestTelemetry telemetry) {
      this.call = call;
      this.headers = new CallHeaders(call, headers);
      this.reply = new InferReply(InferCall.this, call, reports.format(headers), telemetry);
      this.promise = reply.promise();
    }

    /** Refuses the request, if it would be refused once its inputs had been read. */
    @Override
    public boolean headCame(MessageHead head) {
      try {
        announced =
            requests
                .engine()
                .announce(
                    head.modelName(),
                    GrpcRequests.version(head.modelVersion()),
                    head.id(),
                    requests.client(headers),
                    promise,
                    GrpcRequests.timeLeftNanos(deadline));
      } catch (InferenceException invalid) {
        return false; // the call fails once the request has come
      }
      return promise.isDecided();
    }

    @Override
    public void onMessage(ProtoRequest message) {
      if (received != null || rejected) {
        message.close();
        reject("Too many requests");
        return;
      }
      received = messages.count(message, call);
    }

    @Override
    public void onHalfClose() {
      if (promise.isDecided()) {
        dropReceived();
        return;
      }
      ProtoRequest message = received;
      received = null;
      if (message == null) {
        reject("Half-closed without a request");
      } else {
        dispatch(message);
      }
    }

    /** Has the request parsed and decoded, by this thread if that is short. */
    private void dispatch(ProtoRequest message) {
      try {
        if (message.isUnread()) {
          messages.read(message, call, this::submit);
        } else if (messages.takesLong(message)) {
          messages.later(call, () -> submit(message));
        } else {
          submit(message);
        }
      } catch (Throwable thrown) {
        message.close();
        promise.fail(UnexpectedFailures.of(LOG, "ModelInfer", thrown));
      }
    }

    @Override
    public void onCancel() {
      dropReceived();
      promise.cancel();
      reply.release();
    }

    @Override
    public void onComplete() {
      reply.release();
    }

    private void reject(String reason) {
      dropReceived();
      if (!rejected) {
        rejected = true;
        call.close(Status.INTERNAL.withDescription(reason), new Metadata());
      }
    }

    private void dropReceived() {
      if (received != null) {
        received.close();
        received = null;
      }
    }

    /** Throws nothing. */
    private void submit(ProtoRequest message) {
      DecodedRequest decoded = null;
      try {
        message.requireParsed();
        reply.name(message);
        if (admission.rejects(call)) {
          throw GrpcErrors.stopping();
        }
        decoded = requests.read(new IncomingMessage(message, headers, messages, reply), headers);
        decoded.setAnnounced(announced);
        DecodedRequest taken = decoded;
        decoded = null;
        reply.submit(requests.engine(), taken, GrpcRequests.timeLeftNanos(deadline));
      } catch (Throwable thrown) {
        message.close();
        if (decoded != null) {
          decoded.close();
        }
        promise.fail(
            UnexpectedFailures.of(LOG, RequestErrors.prefix(message.id()) + "ModelInfer", thrown));
      }
    }
  }
}
