package io.nereid.server.grpc.message;

import io.grpc.Codec;
import io.grpc.Decompressor;
import io.grpc.DecompressorRegistry;
import io.nereid.server.codec.GzipStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/** The encodings of compressed messages: {@code deflate} is zlib's format. */
public enum MessageEncoding implements Decompressor {
  GZIP("gzip") {
    @Override
    InputStream open(InputStream compressed) {
      return new GzipStream(compressed);
    }
  },
  DEFLATE("deflate") {
    @Override
    InputStream open(InputStream compressed) {
      return new InflaterInputStream(compressed, new Inflater(), BUFFER_SIZE) {
        @Override
        public void close() throws IOException {
          inf.end(); // the stream would end only one of its own
          super.close();
        }
      };
    }
  };

  private static final int BUFFER_SIZE = 16 << 10;

  private final String text;

  MessageEncoding(String text) {
    this.text = text;
  }

  /** What a server can read, for gRPC. */
  public static DecompressorRegistry registry() {
    return DecompressorRegistry.emptyInstance()
        .with(Codec.Identity.NONE, false)
        .with(GZIP, true)
        .with(DEFLATE, true);
  }

  @Override
  public String getMessageEncoding() {
    return text;
  }

  /** A stream that decompresses nothing before it is read. */
  @Override
  public InputStream decompress(InputStream compressed) {
    return new CompressedStream(compressed, this);
  }

  /** A stream that decompresses. */
  abstract InputStream open(InputStream compressed);
}
