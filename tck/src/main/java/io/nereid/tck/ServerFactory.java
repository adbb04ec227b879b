package io.nereid.tck;

import java.nio.file.Path;

/**
 * What an implementer of {@link ServerVerification}s provides. A default method in an interface of
 * one's own serves all of them.
 */
public interface ServerFactory {
  /**
   * Starts a server on free ports and returns once it is ready.
   *
   * @param modelRepository a folder with the models to serve, all of them at start
   */
  ServerUnderTest startServer(Path modelRepository) throws Exception;
}
