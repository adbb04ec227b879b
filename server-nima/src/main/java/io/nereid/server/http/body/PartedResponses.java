package io.nereid.server.http.body;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.RequestMemory.Reservation;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.JsonParts;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Sends large responses part by part: long work encodes a part, then the connection's thread writes
 * it. So a response that waits for its client takes the memory of one part besides its outputs, and
 * both are counted for the client.
 *
 * @param pool of the parts
 * @param memory counts parts and outputs for clients
 */
public record PartedResponses(LeaseSource pool, RequestMemory memory, LongWork longWork) {
  private static final int PART = LongWork.LEAST;

  /** A part with what may exceed it. */
  private static final int ROOM = PART + (64 << 10);

  /** The outputs of an event that is sent in any case. */
  private static final long SMALL_EVENT = 1 << 20;

  /** Stands for a part that is in a lease, so that the heap has only those being encoded. */
  private static final ByteSink IN_LEASE = new ByteSink(0);

  /**
   * A part that was encoded.
   *
   * @param size of the part, which is in the lease unless it exceeds that
   * @param hasMore whether another part follows
   */
  private record Encoded(ByteSink sink, int size, boolean hasMore) {}

  /**
   * Sends the parts of a body whose length is not known; the caller ends it.
   *
   * @param fields sets the fields of the head, unless the response is refused
   * @param outputBytes the memory that the parts keep until they are written
   * @throws io.nereid.error.InferenceException RESOURCE_EXHAUSTED, before anything is written, if
   *     the client has too much memory already
   */
  public void send(
      HttpRequest request,
      HttpResponse response,
      Runnable fields,
      JsonParts parts,
      long outputBytes,
      ContentEncoding encoding)
      throws IOException {
    try (var _ = memory.reserve(request.client(), outputBytes + ROOM)) {
      write(request, response, fields, parts, encoding);
    }
  }

  /**
   * Sends an event of a stream as {@link #send} does. A small one is sent uncounted where its
   * client has too much memory: what waits behind it ends the stream, if the client does not read.
   */
  public void sendEvent(
      HttpRequest request,
      HttpResponse response,
      Runnable fields,
      JsonParts parts,
      long outputBytes)
      throws IOException {
    Reservation counted;
    try {
      counted = memory.reserve(request.client(), outputBytes + ROOM);
    } catch (InferenceException exhausted) {
      if (outputBytes > SMALL_EVENT) {
        throw exhausted;
      }
      write(request, response, fields, parts, ContentEncoding.IDENTITY);
      return;
    }
    try (counted) {
      write(request, response, fields, parts, ContentEncoding.IDENTITY);
    }
  }

  private void write(
      HttpRequest request,
      HttpResponse response,
      Runnable fields,
      JsonParts parts,
      ContentEncoding encoding)
      throws IOException {
    ClientKey client = request.client();
    try (Lease lease = pool.lease(ROOM);
        var encoder = new PartEncoder(parts, encoding)) {
      fields.run();
      MemorySegment room = lease.segment();
      boolean hasMore = true;
      while (hasMore) {
        Encoded part = longWork.call(client, LongWork.LEAST, () -> encode(encoder, room));
        hasMore = part.hasMore;
        if (part.size > ROOM) {
          response.addPart(part.sink.array(), part.size);
          response.flushParts();
        } else if (part.size > 0) {
          response.writePart(room.asSlice(0, part.size));
        }
      }
    }
  }

  private static Encoded encode(PartEncoder encoder, MemorySegment room) throws IOException {
    var sink = new ByteSink(ROOM);
    boolean hasMore = encoder.writeNext(sink, PART);
    int size = sink.size();
    if (size > ROOM) {
      return new Encoded(sink, size, hasMore);
    }
    MemorySegment.copy(MemorySegment.ofArray(sink.array()), 0, room, 0, size);
    return new Encoded(IN_LEASE, size, hasMore);
  }

  /** Has parts made, for which all elements of outputs are checked. */
  public JsonParts parts(HttpRequest request, LongWork.Work<JsonParts> work) throws IOException {
    return longWork.call(request.client(), LongWork.LEAST, work);
  }

  /** Returns the bytes that parts have, by writing them to nowhere. */
  public long size(HttpRequest request, JsonParts parts) throws IOException {
    return longWork.call(
        request.client(),
        LongWork.LEAST,
        () -> {
          var sink = new ByteSink(ROOM);
          long size = 0;
          boolean hasMore = true;
          while (hasMore) {
            sink.clear();
            hasMore = parts.writeNext(sink, PART);
            size += sink.size();
            longWork.pause(request.client());
          }
          return size;
        });
  }
}
