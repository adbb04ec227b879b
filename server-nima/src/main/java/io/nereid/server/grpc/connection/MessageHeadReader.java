package io.nereid.server.grpc.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the head of a {@code ModelInferRequest} of which a part has come: the fields 1 to 3, which
 * protobuf's own writers put first. A message has no head to be read if it is compressed, begins
 * with another field, has a head above {@link #MAX_HEAD} bytes, or is whole once its head has come,
 * since it is parsed then. Copies nothing, unless the head comes in parts. For one message and one
 * thread.
 */
final class MessageHeadReader {
  /** The largest head, with the prefix of the message. */
  static final int MAX_HEAD = 1 << 10;

  /** The flag and the length before a message (gRPC over HTTP/2, Length-Prefixed-Message). */
  private static final int PREFIX = 5;

  private static final int NAME_TAG = 0x0A;
  private static final int VERSION_TAG = 0x12;
  private static final int ID_TAG = 0x1A;

  /** What has come in parts, as far as it may belong to the head. */
  private @Nullable ByteBuf parts;

  private long receivedBytes;

  /** 0 before it is known. */
  private long messageBytes;

  private boolean done;

  /** Whether the head was read, or never will be. */
  boolean isDone() {
    return done;
  }

  /** The size of the message, without its prefix; 0 if the prefix has not come, or is not read. */
  long messageBytes() {
    return messageBytes;
  }

  /**
   * Returns the head once it has come; null before, and if there is none.
   *
   * @param data the next part of the message; borrowed, and not consumed
   */
  @Nullable MessageHead read(ByteBuf data) {
    if (done) {
      return null;
    }
    receivedBytes += data.readableBytes();
    ByteBuf known = parts == null ? data : add(data);
    MessageHead head = parse(known);
    if (!done && known.readableBytes() >= MAX_HEAD) {
      done = true;
    }
    if (!done && parts == null) {
      add(data);
    }
    return head;
  }

  private ByteBuf add(ByteBuf data) {
    ByteBuf known = parts;
    if (known == null) {
      known = Unpooled.wrappedBuffer(new byte[MAX_HEAD]).clear();
      parts = known;
    }
    int count = Math.min(data.readableBytes(), known.writableBytes());
    return known.writeBytes(data, data.readerIndex(), count);
  }

  /** Null, with {@link #done} unset, if the head has not come whole. */
  private @Nullable MessageHead parse(ByteBuf known) {
    int end = known.writerIndex();
    int at = known.readerIndex() + PREFIX;
    if (at > end) {
      return null;
    }
    messageBytes = known.getUnsignedInt(at - 4);
    if (known.getByte(at - PREFIX) != 0 || messageBytes <= receivedBytes - PREFIX) {
      done = true; // compressed, or whole
      return null;
    }
    String name = "";
    String version = "";
    String id = "";
    while (at < end) {
      int tag = known.getUnsignedByte(at);
      if (tag != NAME_TAG && tag != VERSION_TAG && tag != ID_TAG) {
        done = true;
        return name.isEmpty() ? null : new MessageHead(name, version, id);
      }
      if (at + 3 > end) {
        return null;
      }
      int length = known.getUnsignedByte(at + 1);
      at += 2;
      if (length >= 0x80) { // a varint of two bytes; longer ones are above the limit
        length = (length & 0x7F) | known.getUnsignedByte(at) << 7;
        at++;
      }
      if (length > end - at) {
        done = length > MAX_HEAD;
        return null;
      }
      String text = known.toString(at, length, StandardCharsets.UTF_8);
      switch (tag) {
        case NAME_TAG -> name = text;
        case VERSION_TAG -> version = text;
        default -> id = text;
      }
      at += length;
    }
    return null;
  }
}
