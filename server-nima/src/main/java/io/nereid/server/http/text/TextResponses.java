package io.nereid.server.http.text;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.JsonParts;
import io.nereid.server.codec.json.text.TextQuestion;
import io.nereid.server.codec.json.text.TextResponseWriter;
import io.nereid.server.http.body.ContentEncoding;
import io.nereid.server.http.body.PartedResponses;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.inference.RoutedInference;
import java.io.IOException;
import java.util.List;

/**
 * Sends the responses of text models: short ones at once, long ones in parts. Never compressed:
 * vectors have little to gain.
 */
record TextResponses(PartedResponses parted) {
  private static final String CONTENT_TYPE = "Content-Type";
  private static final String JSON = "application/json";

  /** The size of the text of a response from which it is sent in parts. */
  private static final long LARGE = 64 << 10;

  void send(RoutedInference inference, TextResponseWriter writer, TextQuestion asked)
      throws IOException {
    HttpResponse response = inference.response();
    long textBytes = asked.answer().needsBody() ? asked.textBytes() : 0;
    long expected = writer.expectedSize(textBytes);
    if (expected < LARGE) {
      var sink = new ByteSink(1024 + (int) expected);
      writer.parts(asked.answer()).writeAll(sink);
      response.header(CONTENT_TYPE, JSON).send(sink.array(), sink.size(), List.of());
      return;
    }
    JsonParts parts = parted.parts(inference.request(), () -> writer.parts(asked.answer()));
    parted.send(
        inference.request(),
        response,
        () -> response.header(CONTENT_TYPE, JSON),
        parts,
        writer.outputBytes() + textBytes,
        ContentEncoding.IDENTITY);
    response.endParts();
  }
}
