package io.nereid.server.grpc.inference;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.grpc.call.CallAdmission;
import io.nereid.server.grpc.call.CallHeaders;
import io.nereid.server.grpc.call.ClientMessages;
import io.nereid.server.grpc.call.GrpcErrors;
import io.nereid.server.grpc.call.LoggedCalls;
import io.nereid.server.grpc.connection.CallConnection;
import io.nereid.server.grpc.message.ResponseCompression;
import io.nereid.server.telemetry.access.AccessEntry;
import io.nereid.server.telemetry.access.AccessLog;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The method {@code ModelStreamInfer}: requests for any models on one stream, submitted as they are
 * read. {@link StreamWindow} limits how many are read ahead, {@link StreamOrder} orders the
 * responses.
 */
public final class StreamInferCall implements ServerCallHandler<ProtoRequest, OutgoingMessage> {
  private static final System.Logger LOG = System.getLogger(StreamInferCall.class.getName());

  private static final Metadata.Key<String> GRPC_ERROR =
      Metadata.Key.of("triton_grpc_error", Metadata.ASCII_STRING_MARSHALLER);

  private final ClientRequests requests;
  private final BufferPool pool;
  private final CallAdmission admission;
  private final ClientMessages messages;
  private final ResponseCompression compression;
  private final @Nullable AccessLog accessLog;
  private final Set<StreamWriter> streams = ConcurrentHashMap.newKeySet();

  public StreamInferCall(
      ClientRequests requests,
      BufferPool pool,
      CallAdmission admission,
      ClientMessages messages,
      ResponseCompression compression,
      @Nullable AccessLog accessLog) {
    this.requests = requests;
    this.accessLog = accessLog;
    this.pool = pool;
    this.admission = admission;
    this.messages = messages;
    this.compression = compression;
  }

  /** Ends each stream once it has no pending request; called once the admission is stopped. */
  public void stop() {
    streams.forEach(StreamInferCall::stop);
  }

  private static void stop(StreamWriter stream) {
    stream.endWhenIdle(GrpcErrors.status(GrpcErrors.stopping()));
  }

  @Override
  public ServerCall.Listener<ProtoRequest> startCall(
      ServerCall<ProtoRequest, OutgoingMessage> call, Metadata headers) {
    if (admission.refuses(call)) {
      return new ServerCall.Listener<>() {};
    }
    compression.begin(call);
    call.sendHeaders(new Metadata());
    var writer =
        new StreamWriter(
            call,
            byteSize -> messages.reserve(call, byteSize),
            (message, response) ->
                compression == ResponseCompression.NONE
                    ? messages.lend(call, message, response)
                    : null);
    streams.add(writer);
    if (admission.rejects(call)) {
      stop(writer);
    }
    writer.readNext();
    CallConnection.tellIdle(call, writer::isIdle);
    return new Listener(call, headers, writer);
  }

  /** Called by the call's event loop, one event at a time. */
  private final class Listener extends ServerCall.Listener<ProtoRequest> {
    private final ServerCall<ProtoRequest, OutgoingMessage> call;
    private final CallHeaders headers;
    private final StreamWriter writer;
    private final boolean failuresEndTheStream;

    /** The call's entry in the access log; null if there is none. */
    private final @Nullable AccessEntry access = accessLog == null ? null : LoggedCalls.entry();

    /** Whether another thread may still parse a message; guarded by this. */
    private boolean reading;

    /** Whether the client sends no more; guarded by this. */
    private boolean halfClosed;

    Listener(
        ServerCall<ProtoRequest, OutgoingMessage> call, Metadata headers, StreamWriter writer) {
      this.call = call;
      this.headers = new CallHeaders(call, headers);
      this.writer = writer;
      this.failuresEndTheStream = "true".equals(headers.get(GRPC_ERROR));
    }

    @Override
    public void onMessage(ProtoRequest received) {
      ProtoRequest message = messages.count(received, call);
      boolean isLater = false;
      try {
        if (message.isUnread()) {
          isLater = true;
          setReading();
          messages.read(message, call, this::finishReading);
        } else if (messages.takesLong(message)) {
          isLater = true;
          setReading();
          messages.later(call, () -> finishReading(message));
        }
      } catch (Throwable thrown) {
        message.close();
        finishReading(
            ProtoRequest.malformed(UnexpectedFailures.of(LOG, "ModelStreamInfer", thrown)));
        return;
      }
      if (!isLater) {
        submit(message);
        writer.readNext();
      }
    }

    private synchronized void setReading() {
      reading = true;
    }

    private void finishReading(ProtoRequest message) {
      submit(message);
      boolean last;
      synchronized (this) {
        reading = false;
        last = halfClosed;
      }
      if (last) {
        writer.endWhenIdle(Status.OK);
      } else {
        writer.readNext();
      }
    }

    @Override
    public void onReady() {
      writer.write();
    }

    @Override
    public void onHalfClose() {
      boolean ends;
      synchronized (this) {
        halfClosed = true;
        ends = !reading;
      }
      if (ends) {
        writer.endWhenIdle(Status.OK);
      }
    }

    @Override
    public void onCancel() {
      streams.remove(writer);
      writer.abort();
    }

    @Override
    public void onComplete() {
      streams.remove(writer);
    }

    /** Throws nothing. */
    private void submit(ProtoRequest message) {
      var request = new StreamRequest(writer, pool, failuresEndTheStream);
      if (accessLog != null && access != null) {
        request.logged(accessLog, accessLog.begin(access));
      }
      DecodedRequest decoded;
      try {
        decoded = decode(request, message);
      } catch (Throwable thrown) {
        message.close();
        String what = RequestErrors.prefix(message.id()) + "ModelStreamInfer";
        reject(request, UnexpectedFailures.of(LOG, what, thrown));
        return;
      }
      if (writer.enter(request)) {
        request.submit(requests.engine(), decoded);
      } else {
        decoded.close();
        request.abandon();
      }
    }

    private void reject(StreamRequest request, InferenceException reason) {
      if (writer.enter(request)) {
        request.promise().reject(reason);
      } else {
        request.abandon();
      }
    }

    private DecodedRequest decode(StreamRequest request, ProtoRequest message) {
      message.requireParsed();
      request.name(message);
      if (admission.isStopped()) {
        throw GrpcErrors.stopping();
      }
      DecodedRequest decoded =
          requests.read(new IncomingMessage(message, headers, messages, request), headers);
      request.expect(decoded);
      return decoded;
    }
  }
}
