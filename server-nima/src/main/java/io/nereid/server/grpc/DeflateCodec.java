package io.nereid.server.grpc;

import io.grpc.Codec;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** gRPC's {@code deflate} (zlib's form), which official clients offer and grpc-java leaves out. */
final class DeflateCodec implements Codec {
  @Override
  public String getMessageEncoding() {
    return "deflate";
  }

  @Override
  public OutputStream compress(OutputStream stream) {
    return new DeflaterOutputStream(stream);
  }

  @Override
  public InputStream decompress(InputStream stream) {
    return new InflaterInputStream(stream);
  }
}
