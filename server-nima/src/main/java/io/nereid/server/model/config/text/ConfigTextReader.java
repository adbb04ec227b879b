package io.nereid.server.model.config.text;

import io.nereid.server.protobuf.ModelConfig;

/**
 * Reads {@code config.pbtxt}: protobuf's text format, as Triton reads it. A field that is set twice
 * and a second choice of a {@code oneof} are problems; a byte order mark is not. Any bytes give a
 * result, in time and memory proportional to their number.
 */
public final class ConfigTextReader {
  private ConfigTextReader() {}

  /** Reads a text, with all its problems. */
  public static ConfigText read(byte[] content) {
    var source = SourceText.of(content);
    var problems = new TextProblems(source);
    var message = ModelConfig.newBuilder();
    int binary = source.bytes().indexOf('\0');
    if (binary >= 0) {
      problems.skipped(binary, FieldPath.ROOT, "the file is not text: it has a byte 0 here");
      return new ConfigText(source, message.build(), new FieldPositions(0), problems);
    }
    FieldPositions positions = new TextParser(source, problems).parse(message);
    return new ConfigText(source, message.build(), positions, problems);
  }
}
