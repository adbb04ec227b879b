package io.nereid.server.frontend;

import java.util.Map;

/**
 * Makes a front end that is an optional part, such as a console or another protocol. Its jars are a
 * folder of {@code --front-end-directory} and name it in {@code META-INF/services}. It is written
 * with the server's own classes, which other releases may change.
 */
public interface FrontEndProvider {
  /** How {@code --front-end-config} and the log call it. */
  String name();

  /**
   * Makes the front end, which does not listen yet. Called by a thread of the start, at most once.
   *
   * @param listener where it listens once it is started, by its settings {@code address} and {@code
   *     port}
   * @param settings the other settings
   * @param services of the server, which closes them after the front end has stopped
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT if a setting is not known or not
   *     valid
   */
  FrontEnd open(Listener listener, Map<String, String> settings, FrontEndServices services);
}
