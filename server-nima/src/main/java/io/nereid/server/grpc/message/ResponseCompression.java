package io.nereid.server.grpc.message;

import io.grpc.Codec;
import io.grpc.Compressor;
import io.grpc.CompressorRegistry;
import io.grpc.ServerCall;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** How much responses are compressed, with gzip, for clients that accept it. */
public enum ResponseCompression implements Compressor {
  NONE(Deflater.NO_COMPRESSION),
  LOW(Deflater.BEST_SPEED),
  MEDIUM(6),
  HIGH(Deflater.BEST_COMPRESSION);

  private static final String GZIP = "gzip";

  private final int level;

  ResponseCompression(int level) {
    this.level = level;
  }

  /** What a server can write, for gRPC. */
  public CompressorRegistry registry() {
    CompressorRegistry registry = CompressorRegistry.newEmptyInstance();
    registry.register(Codec.Identity.NONE);
    registry.register(this);
    return registry;
  }

  /** Has the responses of a call compressed; before its headers are sent. */
  public void begin(ServerCall<?, ?> call) {
    if (this != NONE) {
      call.setCompression(GZIP);
    }
  }

  @Override
  public String getMessageEncoding() {
    return GZIP;
  }

  @Override
  public OutputStream compress(OutputStream target) throws IOException {
    return new LevelledStream(target, level);
  }

  private static final class LevelledStream extends GZIPOutputStream {
    LevelledStream(OutputStream target, int level) throws IOException {
      super(target);
      def.setLevel(level);
    }
  }
}
