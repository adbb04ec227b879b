package io.nereid.server.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.nereid.server.codec.protobuf.ProtoRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a stream still owes its client, and how it gets there. Answers come from any thread; one
 * thread at a time writes, whichever comes first, and only while the client reads: what it does not
 * read waits here. No answer is written or closed, and no request cancelled, under the lock.
 */
final class StreamWriter {
  private static final System.Logger LOG = System.getLogger(StreamWriter.class.getName());

  private final ServerCall<ProtoRequest, OutgoingMessage> call;

  private final StreamOrder<StreamAnswer> order = new StreamOrder<>();
  private final StreamWindow window = new StreamWindow();
  private final Set<StreamRequest> underWay = new HashSet<>();

  /** Whether some thread writes, and will see what is added now. */
  private boolean writing;

  /** Whether the next request is not to be read before {@link #window} opens. */
  private boolean paused;

  /** How the call ends as soon as nothing is under way; null while it goes on. */
  private @Nullable Status idleStatus;

  /** Whether no request may enter any more; what is there may still be written. */
  private boolean over;

  /** How the call is to be closed once all is written. */
  private @Nullable Status status;

  StreamWriter(ServerCall<ProtoRequest, OutgoingMessage> call) {
    this.call = call;
  }

  /**
   * Counts a request in, which from now on may be answered or cancelled; false if the stream is
   * over. In the order in which requests are read.
   */
  synchronized boolean enter(StreamRequest request) {
    if (!over) {
      underWay.add(request);
      window.addRequest(request.inputByteSize());
      if (!request.isDecoupled()) {
        request.place(order.join());
      }
    }
    return !over;
  }

  /** Asks for the next request, now or once the window opens. */
  void readOn() {
    synchronized (this) {
      paused = true;
    }
    write();
  }

  /** Ends the stream once nothing is under way; the first to say so decides how. */
  void endWhenIdle(Status closing) {
    synchronized (this) {
      if (idleStatus == null) {
        idleStatus = closing;
      }
    }
    write();
  }

  /** Whether a decoupled model must be told to stop, as its answers are not read. */
  synchronized boolean isFull() {
    return window.isFull();
  }

  /**
   * Takes an answer to a request that was counted in.
   *
   * @param answer null if the request ends without one
   * @param last whether the request has ended
   */
  void answer(StreamRequest request, @Nullable StreamAnswer answer, boolean last) {
    boolean wanted;
    synchronized (this) {
      wanted = last ? underWay.remove(request) : underWay.contains(request);
      if (wanted && last) {
        window.removeRequest(request.inputByteSize());
      }
      if (wanted && answer != null) {
        window.addAnswer(answer.message().byteSize());
        var place = request.place();
        if (place == null) {
          order.add(answer);
        } else {
          order.add(place, answer);
        }
      }
    }
    if (wanted) {
      write();
    } else if (answer != null) {
      answer.close();
    }
  }

  /** Ends the stream with a failure: what is under way is cancelled, what is ready still leaves. */
  void fail(Status failure) {
    end(failure, false);
  }

  /** The client is gone: cancels what is under way, drops what is not written. */
  void abort() {
    end(Status.CANCELLED, true);
  }

  private void end(Status closing, boolean dropReady) {
    List<StreamAnswer> dropped = new ArrayList<>();
    List<StreamRequest> unanswered;
    synchronized (this) {
      if (!over) {
        over = true;
        status = closing;
      }
      dropped.addAll(order.clearLine());
      for (StreamAnswer ready = dropReady ? order.poll() : null;
          ready != null;
          ready = order.poll()) {
        dropped.add(ready);
      }
      unanswered = List.copyOf(underWay);
      underWay.clear();
    }
    dropped.forEach(StreamAnswer::close);
    unanswered.forEach(request -> request.promise().cancel());
    write();
  }

  /** Writes what there is while the client reads, unless another thread does. */
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

  /** Does what is next; false if there is nothing, and then this thread writes no longer. */
  private boolean writeNext() {
    boolean read;
    StreamAnswer answer;
    Status closing = null;
    synchronized (this) {
      read = paused && !over && window.isOpen();
      paused &= !read;
      answer = order.hasNext() && call.isReady() ? order.poll() : null;
      if (answer != null) {
        window.removeAnswer(answer.message().byteSize());
      } else if (!order.hasNext()) {
        closing = closing();
      }
      writing = read || answer != null || closing != null;
      if (!writing) {
        return false;
      }
    }
    if (read) {
      call.request(1);
    }
    if (answer != null) {
      send(answer);
    }
    if (closing != null) {
      close(closing);
    }
    return true;
  }

  /** How the call is to be closed now that all is written; null if it goes on, or is closed. */
  private @Nullable Status closing() {
    if (!over && idleStatus != null && underWay.isEmpty()) {
      over = true;
      status = idleStatus;
    }
    Status closing = status;
    status = null;
    return closing;
  }

  private void send(StreamAnswer answer) {
    try (answer) {
      call.sendMessage(answer.message()); // copies before it returns
    } catch (RuntimeException | Error broken) {
      // Mostly a call that was cancelled under our hands: gRPC then refuses to go on.
      LOG.log(System.Logger.Level.DEBUG, "an answer found no client", broken);
      abort();
    }
  }

  private void close(Status closing) {
    try {
      call.close(closing, new Metadata());
    } catch (IllegalStateException closed) {
      LOG.log(System.Logger.Level.DEBUG, "the end of a stream found no client", closed);
    }
  }
}
