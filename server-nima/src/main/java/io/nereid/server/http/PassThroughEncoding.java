package io.nereid.server.http;

import io.helidon.http.Headers;
import io.helidon.http.encoding.ContentDecoder;
import io.helidon.http.encoding.ContentEncoder;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.encoding.ContentEncodingContextConfig;
import java.util.NoSuchElementException;

/**
 * Has Helidon pass every body as it comes, whatever its encoding: {@link BodyDecoder} knows the
 * encodings, and the protocol's answer to others. (With decoding disabled, Helidon would refuse the
 * header.)
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
