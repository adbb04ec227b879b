package io.nereid.text;

import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;

/** The provider of the backend {@code text}. */
public final class TextBackendProvider implements BackendProvider {
  @Override
  public String name() {
    return "text";
  }

  @Override
  public Backend open(BackendContext context) {
    return TextBackend.open(context);
  }
}
