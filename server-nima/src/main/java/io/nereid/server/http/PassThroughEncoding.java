package io.nereid.server.http;

import io.helidon.http.Headers;
import io.helidon.http.encoding.ContentDecoder;
import io.helidon.http.encoding.ContentEncoder;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.encoding.ContentEncodingContextConfig;
import java.util.NoSuchElementException;

/**
 * A content encoding context that leaves bodies encoded for {@link BodyDecoder}. With decoding
 * disabled, Helidon would reject requests that have a {@code Content-Encoding}.
 */
final class PassThroughEncoding implements ContentEncodingContext {
  @Override
  public boolean contentEncodingEnabled() {
    return false;
  }

  @Override
  public boolean contentDecodingEnabled() {
    return true;
  }

  @Override
  public boolean contentEncodingSupported(String encoding) {
    return false;
  }

  @Override
  public boolean contentDecodingSupported(String encoding) {
    return true;
  }

  @Override
  public ContentEncoder encoder(String encoding) {
    throw new NoSuchElementException(encoding);
  }

  @Override
  public ContentDecoder decoder(String encoding) {
    return ContentDecoder.NO_OP;
  }

  @Override
  public ContentEncoder encoder(Headers headers) {
    return ContentEncoder.NO_OP;
  }

  @Override
  public ContentEncodingContextConfig prototype() {
    return ContentEncodingContextConfig.builder()
        .contentEncodingsDiscoverServices(false)
        .buildPrototype();
  }
}
