package io.nereid.server.grpc.limits;

import com.google.protobuf.CodedInputStream;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What a request to {@code ModelInfer} begins with: the fields 1 to 3 of its message, which
 * protobuf's own writers put first.
 *
 * @param modelVersion empty for the newest
 * @param id the client's id; empty if it sent none
 */
public record MessageHead(String modelName, String modelVersion, String id) {
  /** A call that is told of the head of its message, before the message has come whole. */
  @FunctionalInterface
  public interface Receiver {
    /**
     * Called by the event loop of the connection, at most once.
     *
     * @return whether the call has ended, so that the rest of the message is useless
     */
    boolean headCame(MessageHead head);
  }

  /** The largest head. */
  public static final int MAX_HEAD = 1 << 10;

  /** The flag and the length before a message (gRPC over HTTP/2, Length-Prefixed-Message). */
  private static final int PREFIX = 5;

  private static final int NAME_TAG = 0x0A;
  private static final int VERSION_TAG = 0x12;
  private static final int ID_TAG = 0x1A;

  /**
   * The size of a message, without its prefix; 0 if that has not come whole.
   *
   * @param begin of the message; borrowed, and not consumed
   */
  public static long messageBytes(ByteBuf begin) {
    return begin.readableBytes() < PREFIX ? 0 : begin.getUnsignedInt(begin.readerIndex() + 1);
  }

  /**
   * The head of a message; null if it is compressed, begins with another field, has a head that is
   * large or comes in several frames, or has come whole, since it is parsed then.
   *
   * @param begin of the message, of its first frame; borrowed, and not consumed
   */
  public static @Nullable MessageHead of(ByteBuf begin) {
    int count = begin.readableBytes() - PREFIX;
    if (messageBytes(begin) <= Math.max(0, count) || begin.getByte(begin.readerIndex()) != 0) {
      return null;
    }
    var fields =
        CodedInputStream.newInstance(
            begin.nioBuffer(begin.readerIndex() + PREFIX, Math.min(count, MAX_HEAD)));
    String name = "";
    String version = "";
    String id = "";
    try {
      while (true) {
        int tag = fields.readTag();
        switch (tag) {
          case NAME_TAG -> name = fields.readString();
          case VERSION_TAG -> version = fields.readString();
          case ID_TAG -> id = fields.readString();
          default -> {
            return tag == 0 || name.isEmpty() ? null : new MessageHead(name, version, id);
          }
        }
      }
    } catch (IOException notWhole) {
      return null;
    }
  }
}
