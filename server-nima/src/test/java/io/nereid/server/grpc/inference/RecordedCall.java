package io.nereid.server.grpc.inference;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.nereid.server.codec.protobuf.ProtoRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A call without a client that records what it is given; a test sets whether it is ready. */
final class RecordedCall extends ServerCall<ProtoRequest, OutgoingMessage> {
  final AtomicInteger requested = new AtomicInteger();
  final List<ModelStreamInferResponse> sent = new CopyOnWriteArrayList<>();
  final List<Status> closed = new CopyOnWriteArrayList<>();
  final List<Metadata> trailers = new CopyOnWriteArrayList<>();
  volatile boolean ready = true;
  volatile boolean broken;
  private final AtomicInteger inside = new AtomicInteger();

  List<String> errors() {
    return sent.stream().map(ModelStreamInferResponse::getErrorMessage).toList();
  }

  @Override
  public void request(int count) {
    requested.addAndGet(count);
  }

  @Override
  public void sendHeaders(Metadata headers) {}

  @Override
  public void sendMessage(OutgoingMessage message) {
    alone(() -> {
      if (broken || !closed.isEmpty()) {
        throw new IllegalStateException("call is closed");
      }
      var bytes = new ByteArrayOutputStream();
      try {
        message.writeTo(bytes);
        sent.add(ModelStreamInferResponse.parseFrom(bytes.toByteArray()));
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
    });
  }

  @Override
  public void close(Status status, Metadata trailers) {
    alone(() -> {
      closed.add(status);
      this.trailers.add(trailers);
    });
  }

  /** Fails if two threads use the call at a time. */
  private void alone(Runnable use) {
    if (inside.incrementAndGet() != 1) {
      throw new AssertionError("two threads use the call");
    }
    try {
      use.run();
    } finally {
      inside.decrementAndGet();
    }
  }

  @Override
  public boolean isReady() {
    return ready && closed.isEmpty();
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public Attributes getAttributes() {
    return Attributes.EMPTY;
  }

  @Override
  public MethodDescriptor<ProtoRequest, OutgoingMessage> getMethodDescriptor() {
    throw new UnsupportedOperationException("not used");
  }
}
