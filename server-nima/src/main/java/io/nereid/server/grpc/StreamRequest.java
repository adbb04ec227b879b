package io.nereid.server.grpc;

import io.grpc.Status;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.DecodedRequest;
import io.nereid.server.codec.OutputRequest;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoStreamResponse;
import io.nereid.server.engine.ClassifiedResponse;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.model.LoadedModel;
import io.nereid.server.request.InferenceResponse;
import io.nereid.server.request.RequestIds;
import io.nereid.server.request.ResponsePromise;
import io.nereid.server.request.ResponseReceiver;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request of a stream, and the way of its answers. Set up by the event loop that read it;
 * answered by whichever thread has something to say.
 */
final class StreamRequest implements ResponseReceiver {
  private final StreamWriter writer;
  private final BufferPool pool;

  /** Whether a failure of its execution is the end of the stream. */
  private final boolean failsStream;

  private final ResponsePromise promise = new ResponsePromise(this);
  private String id = "";
  private String modelName = "";
  private String version = "";
  private boolean wantsEmptyFinalResponse;
  private @Nullable LoadedModel model;
  private List<OutputRequest> outputs = List.of();
  private long inputByteSize;
  private StreamOrder.@Nullable Place<StreamAnswer> place;

  /** Who hands the request in, while it does: what fails on that thread was never queued. */
  private @Nullable Thread submitter;

  /** Why we called the request off, if we did. */
  private @Nullable InferenceException stopped;

  StreamRequest(StreamWriter writer, BufferPool pool, boolean failsStream) {
    this.writer = writer;
    this.pool = pool;
    this.failsStream = failsStream;
  }

  /** What the client calls it. */
  void name(ProtoRequest request) {
    id = request.id();
    modelName = request.modelName();
    version = request.modelVersion();
    wantsEmptyFinalResponse = request.wantsEmptyFinalResponse();
  }

  /** The model that will answer. */
  void expect(LoadedModel model) {
    this.model = model;
  }

  /** What the model will be given. */
  void expect(DecodedRequest decoded) {
    outputs = decoded.outputs();
    for (Tensor input : decoded.inputs()) {
      inputByteSize += input.byteSize();
    }
  }

  boolean isDecoupled() {
    return model != null && model.config().decoupled();
  }

  long inputByteSize() {
    return inputByteSize;
  }

  /** Its answer will take this place in the line. */
  void stand(StreamOrder.Place<StreamAnswer> place) {
    this.place = place;
  }

  /** Where its answer goes; null if it need not wait for others. */
  StreamOrder.@Nullable Place<StreamAnswer> place() {
    return place;
  }

  /** Has the model run; takes {@code decoded}. Once the writer has counted it in. */
  void submit(InferenceEngine engine, DecodedRequest decoded) {
    submitter = Thread.currentThread();
    try {
      engine.submit(Objects.requireNonNull(model), decoded, promise, GrpcDeadlines.timeLeftNanos());
    } finally {
      submitter = null;
    }
  }

  /** It cannot be submitted. Once the writer has counted it in. */
  void refuse(InferenceException reason) {
    submitter = Thread.currentThread();
    try {
      promise.fail(reason);
    } finally {
      submitter = null;
    }
  }

  void cancel() {
    promise.cancel();
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
                  .formatted(RequestIds.prefix(id), StreamWindow.MAX_UNREAD_BYTES)));
    } else {
      try {
        send(response, false);
      } catch (InferenceException unsendable) {
        stop(unsendable);
      }
    }
  }

  @Override
  public void answer(InferenceResponse response) {
    try {
      send(response, true);
    } catch (InferenceException unsendable) {
      fail(unsendable);
    }
  }

  @Override
  public void complete() {
    if (!isDecoupled()) {
      ResponseReceiver.super.complete();
    } else if (wantsEmptyFinalResponse) {
      end(ProtoStreamResponse.end(id, modelName, version));
    } else {
      writer.answer(this, null, true);
    }
  }

  @Override
  public void fail(InferenceException failure) {
    InferenceException reason = stopped == null ? failure : stopped;
    if (Thread.currentThread().equals(submitter)) {
      end(ProtoStreamResponse.refusal(id, reason));
    } else if (failsStream) {
      Status status = GrpcErrors.status(reason);
      writer.fail(status);
    } else {
      end(ProtoStreamResponse.failure(id, modelName, version, reason));
    }
  }

  /** Sends a response; it is closed if it cannot be. */
  private void send(InferenceResponse response, boolean last) {
    InferenceResponse answer =
        ClassifiedResponse.of(response, outputs, Objects.requireNonNull(model), pool);
    ProtoStreamResponse message;
    try {
      message = ProtoStreamResponse.of(answer, last);
    } catch (RuntimeException unsendable) {
      answer.close();
      throw unsendable;
    }
    writer.answer(this, new StreamAnswer(message, answer), last);
  }

  private void end(ProtoStreamResponse message) {
    writer.answer(this, new StreamAnswer(message, null), true);
  }

  /** Calls the request off; its last response will say why. */
  private void stop(InferenceException reason) {
    stopped = reason;
    promise.cancel();
  }
}
