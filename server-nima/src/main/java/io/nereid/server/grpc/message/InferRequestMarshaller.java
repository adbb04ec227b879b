package io.nereid.server.grpc.message;

import io.grpc.MethodDescriptor;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.server.codec.protobuf.ProtoInput;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoRequestParser;
import io.nereid.server.grpc.limits.GrpcLimits;
import java.io.InputStream;

/**
 * A marshaller that parses small requests from the transport's buffers, on its event loop. Those
 * whose memory is counted, and compressed ones, it takes unread, for {@link MessageReader}.
 * Malformed bytes, and whatever is thrown, become a {@link ProtoRequest#malformed} request.
 */
public final class InferRequestMarshaller implements MethodDescriptor.Marshaller<ProtoRequest> {
  private static final System.Logger LOG = System.getLogger(InferRequestMarshaller.class.getName());

  private final ProtoRequestParser parser;
  private final long maxByteSize;

  /**
   * @param maxByteSize the most bytes of a message, also once it is decompressed
   */
  public InferRequestMarshaller(ProtoRequestParser parser, long maxByteSize) {
    this.parser = parser;
    this.maxByteSize = maxByteSize;
  }

  @Override
  public ProtoRequest parse(InputStream stream) {
    try {
      if (stream.available() > maxByteSize) { // its call ends, but may be faster
        throw GrpcLimits.tooLarge(maxByteSize);
      }
      if (BufferChunks.areIn(stream) && stream.available() <= RequestMemory.UNCOUNTED) {
        return parser.parse(new ProtoInput(new BufferChunks(stream), stream.available()));
      }
      return ProtoRequest.unread(ReceivedMessage.detach(stream, maxByteSize));
    } catch (Throwable thrown) {
      return ProtoRequest.malformed(UnexpectedFailures.of(LOG, "reading a message", thrown));
    }
  }

  /** Never used: a server only reads requests. */
  @Override
  public InputStream stream(ProtoRequest value) {
    throw new UnsupportedOperationException("a server writes no requests");
  }
}
