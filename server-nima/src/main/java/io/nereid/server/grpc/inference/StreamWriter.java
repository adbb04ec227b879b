package io.nereid.server.grpc.inference;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.RequestMemory.Reservation;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoStreamResponse;
import io.nereid.server.grpc.call.GrpcErrors;
import io.nereid.server.grpc.message.LentMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The pending requests and unsent messages of a stream. Messages come from any thread; one thread
 * at a time writes them to the call, and only while the client reads. No message is written or
 * closed, and no request cancelled, while the monitor is held.
 */
final class StreamWriter {
  /**
   * A message to the client. Owned.
   *
   * @param response the response that {@code content} writes; null for a failure or an end
   */
  record Message(ProtoStreamResponse content, @Nullable InferenceResponse response)
      implements AutoCloseable {
    @Override
    public void close() {
      if (response != null) {
        response.close();
      }
    }
  }

  /** Sends messages from the memory of their tensors. */
  @FunctionalInterface
  interface Lender {
    /**
     * A message that is not to be copied.
     *
     * @param response of the message; taken, unless this returns null or throws
     * @return null if the message is to be copied
     */
    @Nullable LentMessage lend(OutgoingMessage message, InferenceResponse response);
  }

  private static final System.Logger LOG = System.getLogger(StreamWriter.class.getName());

  /** The part of unread messages by which memory is counted for the client. */
  private static final long MEMORY_STEP = 1 << 20;

  private final ServerCall<ProtoRequest, OutgoingMessage> call;
  private final LongFunction<Reservation> memory;
  private final Lender lender;

  private final StreamOrder<Message> order = new StreamOrder<>();
  private final StreamWindow window = new StreamWindow();
  private final Set<StreamRequest> pending = new HashSet<>();

  /** Memory of messages that the client has not read, in steps. */
  private final Deque<Reservation> reservations = new ArrayDeque<>();

  /** Whether a thread writes; it will also write messages that are added now. */
  private boolean writing;

  /** Whether the next request is to be read once {@link #window} is open. */
  private boolean readPending;

  /** The status that ends the call once no request is pending; null if it goes on. */
  private @Nullable Status idleStatus;

  /** Whether no further request may enter; ready messages are still written. */
  private boolean ended;

  /** The status that closes the call once all messages are written; null if it goes on. */
  private @Nullable Status status;

  /**
   * @param memory counts unread messages; throws RESOURCE_EXHAUSTED if the client has too many
   * @param lender of the memory of tensors
   */
  StreamWriter(
      ServerCall<ProtoRequest, OutgoingMessage> call,
      LongFunction<Reservation> memory,
      Lender lender) {
    this.call = call;
    this.memory = memory;
    this.lender = lender;
  }

  /**
   * Adds a pending request, which from now on may be completed or cancelled. Called in the order in
   * which requests are read.
   *
   * @return whether it was added: false if the stream has ended
   */
  synchronized boolean enter(StreamRequest request) {
    if (!ended) {
      pending.add(request);
      window.addRequest(request.inputByteSize());
      if (!request.isDecoupled()) {
        request.place(order.reserve());
      }
    }
    return !ended;
  }

  /** Reads the next request, now or once the window is open. */
  void readNext() {
    synchronized (this) {
      readPending = true;
    }
    write();
  }

  /** Ends the stream once no request is pending; the first call sets the status. */
  void endWhenIdle(Status closing) {
    synchronized (this) {
      if (idleStatus == null) {
        idleStatus = closing;
      }
    }
    write();
  }

  /** Whether nothing is to be done until the client sends a request. */
  synchronized boolean isIdle() {
    return !ended && !readPending && pending.isEmpty() && !order.hasNext();
  }

  /** Whether decoupled requests are to be cancelled because the client does not read. */
  synchronized boolean isFull() {
    return window.isFull();
  }

  /**
   * Sends a message of a request that has entered. Takes the message.
   *
   * @param message null if the request ends without one
   * @param last whether the request has ended
   */
  void send(StreamRequest request, @Nullable Message message, boolean last) {
    boolean isPending;
    InferenceException exhausted = null;
    synchronized (this) {
      isPending = last ? pending.remove(request) : pending.contains(request);
      if (isPending && last) {
        window.removeRequest(request.inputByteSize());
      }
      if (isPending && message != null) {
        window.addMessage(message.content().byteSize());
        var place = request.place();
        if (place == null) {
          order.add(message);
        } else {
          order.add(place, message);
        }
        exhausted = reserve();
      }
    }
    if (exhausted != null) {
      end(
          Status.RESOURCE_EXHAUSTED.withDescription(
              "the client reads its streams too slowly: " + exhausted.getMessage()),
          true);
    } else if (isPending) {
      write();
    } else if (message != null) {
      message.close();
    }
  }

  /** Counts the unread messages, if they are many. Returns why they cannot be; null if they are. */
  private @Nullable InferenceException reserve() {
    try {
      while (window.unreadBytes() > RequestMemory.UNCOUNTED + reservations.size() * MEMORY_STEP) {
        reservations.add(memory.apply(MEMORY_STEP));
      }
      return null;
    } catch (InferenceException failure) {
      return failure;
    }
  }

  /** Counts no more than the messages that are left, with a step to spare. */
  private void releaseRead() {
    while (!reservations.isEmpty()
        && (ended || window.unreadBytes() < (reservations.size() - 1) * MEMORY_STEP)) {
      reservations.pop().close();
    }
  }

  /**
   * Ends the stream with a failure: cancels pending requests, writes messages that are ready. With
   * other requests under way its client is not told to come again, since it would repeat them.
   */
  void fail(InferenceException failure) {
    boolean isAlone;
    synchronized (this) {
      isAlone = pending.size() <= 1;
    }
    Status closing = GrpcErrors.status(failure);
    end(isAlone ? closing.withCause(failure) : closing, false);
  }

  /** Ends the stream without its client: cancels pending requests, drops all messages. */
  void abort() {
    end(Status.CANCELLED, true);
  }

  private void end(Status closing, boolean dropReady) {
    List<Message> dropped = new ArrayList<>();
    List<StreamRequest> cancelled;
    synchronized (this) {
      if (!ended) {
        ended = true;
        status = closing;
      }
      dropped.addAll(order.clearPlaces());
      for (Message ready = dropReady ? order.poll() : null; ready != null; ready = order.poll()) {
        dropped.add(ready);
      }
      cancelled = List.copyOf(pending);
      pending.clear();
      dropped.forEach(message -> window.removeMessage(message.content().byteSize()));
      releaseRead();
    }
    dropped.forEach(Message::close);
    cancelled.forEach(request -> request.promise().cancel());
    write();
  }

  /** Writes messages while the client reads, unless another thread does. */
  void write() {
    synchronized (this) {
      if (writing) {
        return;
      }
      writing = true;
    }
    boolean more = true;
    while (more) {
      more = writeNext();
    }
  }

  /** Performs the next action; false if there is none, which ends the writing by this thread. */
  private boolean writeNext() {
    boolean read;
    Message message;
    Status closing = null;
    synchronized (this) {
      read = readPending && !ended && window.isOpen();
      readPending &= !read;
      message = order.hasNext() && call.isReady() ? order.poll() : null;
      if (message != null) {
        window.removeMessage(message.content().byteSize());
        releaseRead();
      } else if (!order.hasNext()) {
        closing = closing();
      }
      writing = read || message != null || closing != null;
      if (!writing) {
        return false;
      }
    }
    if (read) {
      call.request(1);
    }
    if (message != null) {
      send(message);
    }
    if (closing != null) {
      close(closing);
    }
    return true;
  }

  /** The status to close the call with, as all is written; null if it goes on or is closed. */
  private @Nullable Status closing() {
    if (!ended && idleStatus != null && pending.isEmpty()) {
      ended = true;
      status = idleStatus;
      releaseRead();
    }
    Status closing = status;
    status = null;
    return closing;
  }

  private void send(Message message) {
    @Nullable Message owned = message;
    try {
      InferenceResponse response = message.response();
      LentMessage lent = response == null ? null : lender.lend(message.content(), response);
      if (lent == null) {
        call.sendMessage(message.content()); // copies before it returns
      } else {
        owned = null;
        lent.sendTo(call);
      }
    } catch (RuntimeException | Error broken) {
      // gRPC throws if the call is cancelled meanwhile.
      LOG.log(System.Logger.Level.DEBUG, "a message was not sent", broken);
      abort();
    } finally {
      if (owned != null) {
        owned.close();
      }
    }
  }

  private void close(Status closing) {
    Metadata trailers =
        closing.getCause() instanceof InferenceException failure
            ? GrpcErrors.trailers(failure)
            : new Metadata();
    try {
      call.close(closing, trailers);
    } catch (RuntimeException closed) {
      LOG.log(System.Logger.Level.DEBUG, "the end of a stream was not sent", closed);
    }
  }
}
