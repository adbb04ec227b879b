package io.nereid.engine.model.config.text;

import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import io.nereid.protocol.config.ModelConfig;

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
    // The builders of generated classes find their methods by reflection, which takes longer than
    // all else here.
    var message = DynamicMessage.newBuilder(ModelConfig.getDescriptor());
    var positions = new FieldPositions(0);
    int binary = source.bytes().indexOf('\0');
    if (binary >= 0) {
      problems.skipped(binary, FieldPath.ROOT, "the file is not text: it has a byte 0 here");
    } else {
      positions = new TextParser(source, problems).parse(message);
    }
    return new ConfigText(
        source,
        generated(message.build()),
        positions,
        problems.sorted(),
        problems.unread(),
        !problems.anySkipped());
  }

  private static ModelConfig generated(DynamicMessage message) {
    try {
      return ModelConfig.parseFrom(message.toByteString());
    } catch (InvalidProtocolBufferException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
