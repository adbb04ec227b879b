package io.nereid.server.codec.json.document;

import java.io.InputStream;

/** The content of a checked string, byte by byte. A character above 127 that is escaped is 0xff. */
final class JsonStringStream extends InputStream {
  private static final int NO_ASCII = 0xff;

  private final JsonBytes text;
  private int next;

  JsonStringStream(JsonBytes text, int at) {
    this.text = text;
    this.next = at + 1;
  }

  @Override
  public int read() {
    int found = text.at(next);
    if (found == '"') {
      return -1;
    }
    next++;
    if (found != '\\') {
      return found;
    }
    int kind = text.at(next++);
    if (kind != 'u') {
      return JsonStrings.control(kind);
    }
    int code = JsonStrings.hex(text, next);
    next += 4;
    return code < 0x80 ? code : NO_ASCII;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    int count = 0;
    while (count < length) {
      int value = read();
      if (value < 0) {
        break;
      }
      target[offset + count++] = (byte) value;
    }
    return count == 0 && length > 0 ? -1 : count;
  }
}
