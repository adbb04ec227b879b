package io.nereid.text;

import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Check;
import java.util.List;

/** The provider of the backend {@code text}. */
public final class TextBackendProvider implements BackendProvider {
  private static final String SUBJECT = "tokenizers";
  private static final String CACHE_DIRECTORY =
      "name a folder that can be written, and have libraries that are loaded:"
          + " --backend-config=text,cache-directory=<directory>";

  @Override
  public String name() {
    return "text";
  }

  @Override
  public Backend open(BackendContext context) {
    return TextBackend.open(context);
  }

  @Override
  public List<Check> check(BackendContext context) {
    try (Backend _ = TextBackend.open(context)) {
      return List.of(Check.ok(SUBJECT, "their library is loaded"));
    } catch (InferenceException failure) {
      String reason = String.valueOf(failure.getMessage());
      String cure = reason.contains("'cache-directory'") ? CACHE_DIRECTORY : "";
      return List.of(Check.unavailable(SUBJECT, reason, cure));
    }
  }
}
