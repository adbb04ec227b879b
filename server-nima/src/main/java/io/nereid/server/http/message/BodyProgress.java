package io.nereid.server.http.message;

import java.io.IOException;

/** What a connection is told of the body of its request. */
public interface BodyProgress {
  /** Called before the body is read: the client may wait for {@code 100 Continue}. */
  void bodyIsWanted() throws IOException;

  /** Called when the whole request was read. */
  void requestIsRead() throws IOException;
}
