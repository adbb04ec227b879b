package io.nereid.server.grpc.connection;

import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.server.grpc.limits.GrpcCallLimits;
import io.nereid.server.grpc.limits.MessageHead;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a call takes of its connection: the bytes of a request that has come in part, and the time
 * that its client takes to send and to read. grpc-java tells it of the call's bytes. All is called
 * by the event loop of the connection.
 *
 * <p>Times are measured from the first check of {@link GrpcConnection} that finds the client
 * sending or not reading, so that calls which are quick cost no look at the clock.
 */
final class CallWatch extends ServerStreamTracer {
  /** Received bytes that are not counted, as most requests have no more. */
  private static final long UNCOUNTED = RequestMemory.UNCOUNTED;

  /** The part of a large request by which memory is acquired. */
  private static final long MEMORY_STEP = 1 << 20;

  private final boolean endsWithTheServer;
  private final boolean hasLargeMessages;
  private @Nullable GrpcConnection connection;
  private int streamId;
  private boolean sendsOneMessage;

  /** The most bytes of a message on the wire, without its prefix. */
  private long maxBytes;

  private boolean closed;

  /** Whether the call ends because its message is too large, or takes too much memory. */
  private boolean refused;

  /** Gets the head of the message; null if the call does not want it, or has got it. */
  private MessageHead.@Nullable Receiver receiver;

  /** Whether the call has ended by the head of its message. */
  private boolean endedByHead;

  /** Whether a message has begun to come, and has not ended. */
  private boolean receiving;

  private long receivedBytes;

  /** What is acquired of the memory for messages that have come in part. */
  private long acquiredBytes;

  /** How much of that is for bytes that have not come. */
  private long aheadBytes;

  /** The size of the message, if it has come in parts and has a head; otherwise 0. */
  private long messageBytes;

  /** Whether gRPC holds the message until the client has sent all. */
  private boolean holdsMessage;

  private boolean checkedReceiving;
  private long receivingSince;

  /** Whether the call waits for its client; null for calls that end by themselves. */
  private @Nullable BooleanSupplier isIdle;

  /** Messages so far, and how many there were at the last check. */
  private long messages;

  private long messagesBefore;
  private boolean checkedIdle;
  private long idleSince;

  private boolean checkedSending;
  private long sendingSince;

  /** What the flow control of the stream allowed to send at that time. */
  private long sendWindow;

  /** By how much the client has enlarged that since. */
  private long sendWindowGrowth;

  /**
   * @param endsWithTheServer whether the call would not end by itself once the server stops
   * @param hasLargeMessages whether more than a small message is read
   */
  CallWatch(boolean endsWithTheServer, boolean hasLargeMessages) {
    this.endsWithTheServer = endsWithTheServer;
    this.hasLargeMessages = hasLargeMessages;
  }

  /** Tells of the call, before any message of it. */
  void start(GrpcConnection connection, int streamId, boolean sendsOneMessage) {
    this.connection = connection;
    this.streamId = streamId;
    this.sendsOneMessage = sendsOneMessage;
    this.maxBytes = hasLargeMessages ? connection.maxRequestSize() : UNCOUNTED;
  }

  @Override
  public void serverCallStarted(ServerCallInfo<?, ?> call) {
    GrpcConnection caller = call.getAttributes().get(GrpcConnection.KEY);
    if (caller != null) {
      caller.started(this, call.getMethodDescriptor().getType().clientSendsOneMessage());
    }
  }

  /** Has the call told of the head of its message, if the message comes in parts. */
  void tellHead(MessageHead.Receiver newReceiver) {
    receiver = newReceiver;
  }

  /** Has the call ended once it has been idle for too long. */
  void tellIdle(BooleanSupplier newIsIdle) {
    isIdle = newIsIdle;
  }

  /**
   * Shows the call the head of its message, and returns whether what follows is useless.
   *
   * @param data of the stream, not the last
   */
  boolean drops(ByteBuf data) {
    MessageHead.Receiver told = receiver;
    if (told != null && !closed) {
      receiver = null;
      messageBytes = MessageHead.messageBytes(data);
      MessageHead head = MessageHead.of(data);
      endedByHead = head != null && told.headCame(head);
    }
    return isUseless();
  }

  /** Whether what still comes of the request is useless. */
  boolean isUseless() {
    return endedByHead || closed;
  }

  @Override
  public void inboundMessage(int number) {
    messages++;
    receiving = true;
    receivedBytes = 0;
    checkedReceiving &= sendsOneMessage;
  }

  @Override
  public void inboundWireSize(long byteSize) {
    receivedBytes += byteSize;
    GrpcConnection known = connection;
    if (refused || known == null) {
      return;
    }
    if (receivedBytes > maxBytes) {
      known.endTooLarge(streamId, hasLargeMessages);
      refused = true; // and will end, once grpc-java has read what has come
    } else if (hasLargeMessages && receivedBytes > acquiredBytes && isCounted()) {
      acquireMemory(known);
    }
    noteAhead();
  }

  /** Whether so much has come of the message that it is counted; half of it, if it is large. */
  private boolean isCounted() {
    return receivedBytes > (messageBytes > UNCOUNTED ? UNCOUNTED / 2 : UNCOUNTED);
  }

  /** Acquires memory for the bytes that have come, and for the next ones. */
  private void acquireMemory(GrpcConnection known) {
    long next = receivedBytes + MEMORY_STEP;
    long all = messageBytes == 0 ? next : Math.max(receivedBytes, messageBytes);
    long byteSize = Math.min(next, all) - acquiredBytes;
    if (known.acquire(streamId, byteSize)) {
      acquiredBytes += byteSize;
    } else {
      refused = true;
    }
  }

  /** Tells the connection of what is counted and has not come. */
  private void noteAhead() {
    long now = receiving && !closed && !refused ? Math.max(0, acquiredBytes - receivedBytes) : 0;
    if (now != aheadBytes && connection != null) {
      connection.addAhead(now - aheadBytes);
      aheadBytes = now;
    }
  }

  @Override
  public void inboundMessageRead(int number, long wireSize, long uncompressedSize) {
    receiving = false;
    noteAhead();
    if (acquiredBytes > 0
        && sendsOneMessage
        && connection != null
        && !connection.isReceivingLast()) {
      holdsMessage = true;
      connection.messageHeld();
    } else {
      releaseMemory();
    }
  }

  /** Tells that the client has sent all, so that the call takes its message. */
  void lastComes() {
    if (holdsMessage) {
      releaseMemory();
    }
  }

  @Override
  public void streamClosed(Status status) {
    if (connection != null && !closed) {
      closed = true;
      noteAhead();
      receiver = null; // the connection keeps this watch until the next call
      releaseMemory();
      connection.closed(streamId, sendsOneMessage);
    }
  }

  private void releaseMemory() {
    if (holdsMessage && connection != null) {
      holdsMessage = false;
      connection.messageReleased();
    }
    if (acquiredBytes > 0 && connection != null) {
      connection.release(acquiredBytes);
      acquiredBytes = 0;
    }
  }

  /** Whether the call has ended, though its stream may not have. */
  boolean isClosed() {
    return closed;
  }

  /** Whether a stop ends the call: its only request has not come whole, or it awaits nothing. */
  boolean isEndedByStop(Http2Stream stream) {
    return endsWithTheServer || (sendsOneMessage && isIncomplete(stream));
  }

  private boolean isIncomplete(Http2Stream stream) {
    return receiving || (sendsOneMessage && stream.state() != Http2Stream.State.HALF_CLOSED_REMOTE);
  }

  /** The client has enlarged the window, or reduced it if {@code byteSize} is negative. */
  void growSendWindow(long byteSize) {
    sendWindowGrowth += byteSize;
  }

  /** Whether the client sends its request slower than {@code limits} permit. */
  boolean isSlowRequest(Http2Stream stream, GrpcCallLimits limits, long now) {
    if (!isIncomplete(stream)) {
      checkedReceiving = false;
      return false;
    }
    if (!checkedReceiving) {
      checkedReceiving = true;
      receivingSince = now;
    }
    return now - receivingSince > limits.readNanos(receivedBytes);
  }

  /** Whether the call has had nothing to do for longer than {@code limits} permit. */
  boolean isIdle(GrpcCallLimits limits, long now) {
    BooleanSupplier idle = isIdle;
    if (idle == null || receiving || messages != messagesBefore || !idle.getAsBoolean()) {
      messagesBefore = messages;
      checkedIdle = false;
      return false;
    }
    if (!checkedIdle) {
      checkedIdle = true;
      idleSince = now;
    }
    return now - idleSince > limits.streamIdleTimeout().toNanos();
  }

  /**
   * Whether the client reads slower than {@code limits} permit.
   *
   * @param waiting whether a part of a response waits for the client
   * @param window how much its flow control allows to send
   */
  boolean isSlowReader(boolean waiting, long window, GrpcCallLimits limits, long now) {
    if (!waiting) {
      checkedSending = false;
      return false;
    }
    if (!checkedSending) {
      checkedSending = true;
      sendingSince = now;
      sendWindow = window;
      sendWindowGrowth = 0;
    }
    long sentBytes = Math.max(0, sendWindow + sendWindowGrowth - window);
    return now - sendingSince > limits.writeNanos(sentBytes);
  }
}
