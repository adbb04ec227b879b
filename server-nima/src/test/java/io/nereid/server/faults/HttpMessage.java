package io.nereid.server.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request or an answer of HTTP/1.1, a character for each byte (RFC 9112). What is read and not
 * changed is written as it came, chunks and errors included.
 *
 * @param head the lines before the body, with the empty one
 * @param body as it was sent, in chunks or not
 * @param content the body without chunks
 */
record HttpMessage(String head, String body, String content) {
  private static final String HEAD_END = "\r\n\r\n";
  private static final String LENGTH = "Content-Length";
  private static final String ENCODING = "Transfer-Encoding";

  /** The next request; empty if the client has closed its connection. */
  static Optional<HttpMessage> request(InputStream in) throws IOException {
    String head = head(in);
    return head.isEmpty() ? Optional.empty() : Optional.of(message(head, in));
  }

  /**
   * The next answer.
   *
   * @param hasBody whether the request lets it have one
   */
  static HttpMessage answer(InputStream in, boolean hasBody) throws IOException {
    String head = head(in);
    if (head.isEmpty()) {
      throw new EOFException("the server has closed the connection");
    }
    return hasBody ? message(head, in) : new HttpMessage(head, "", "");
  }

  /** An answer of JSON. */
  static HttpMessage reply(String status, String json) {
    String type = json.isEmpty() ? "text/plain" : "application/json";
    String head = "HTTP/1.1 %s Made\r\nContent-Type: %s\r\n\r\n".formatted(status, type);
    return new HttpMessage(head, "", "").withContent(json);
  }

  private static HttpMessage message(String head, InputStream in) throws IOException {
    var empty = new HttpMessage(head, "", "");
    if (empty.header(ENCODING).equals("chunked")) {
      return chunked(head, in);
    }
    String length = empty.header(LENGTH);
    String body = length.matches("\\d{1,9}") ? bytes(in, Integer.parseInt(length)) : "";
    return new HttpMessage(head, body, body);
  }

  private static HttpMessage chunked(String head, InputStream in) throws IOException {
    var body = new StringBuilder();
    var content = new StringBuilder();
    int size;
    do {
      String line = line(in);
      size = Integer.parseInt(line.split(";", 2)[0].strip(), 16);
      String chunk = bytes(in, size);
      content.append(chunk);
      body.append(line).append(chunk).append(line(in));
    } while (size > 0);
    return new HttpMessage(head, body.toString(), content.toString());
  }

  /** All lines of a head; empty at the end of the connection. */
  private static String head(InputStream in) throws IOException {
    var head = new StringBuilder();
    String line;
    do {
      line = line(in);
      head.append(line);
    } while (!line.isBlank());
    return line.isEmpty() ? "" : head.toString();
  }

  /** A line with its end; empty at the end of the connection. */
  private static String line(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    int next = in.read();
    while (next >= 0) {
      line.write(next);
      if (next == '\n') {
        return line.toString(ISO_8859_1);
      }
      next = in.read();
    }
    return "";
  }

  private static String bytes(InputStream in, int count) throws IOException {
    return new String(in.readNBytes(count), ISO_8859_1);
  }

  /** Method and target of a request. */
  String call() {
    String[] words = head.split("[ \r\n]", 3);
    return words[0] + " " + words[1];
  }

  /** Whether another answer follows, such as after 100 Continue. */
  boolean isInterim() {
    return head.startsWith("HTTP/1.1 1");
  }

  boolean closes() {
    return header("Connection").equalsIgnoreCase("close");
  }

  /** A header's value; empty if it is not there. */
  String header(String name) {
    Matcher line = Pattern.compile(line(name) + "[ \\t]*([^\\r\\n]*)").matcher(head);
    return line.find() ? line.group(1).strip() : "";
  }

  private static String line(String name) {
    return "(?im)^" + Pattern.quote(name) + ":";
  }

  /** Head and body in one text. */
  String text() {
    return head + content;
  }

  /** As it goes over the wire. */
  byte[] bytes() {
    return (head + body).getBytes(ISO_8859_1);
  }

  /** With another header, or without it if the value is empty. */
  HttpMessage withHeader(String name, String value) {
    String others = head.replaceFirst(line(name) + "[^\\n]*\\n", "");
    String added = value.isEmpty() ? "" : name + ": " + value + "\r\n";
    String start = others.substring(0, others.length() - 2);
    return new HttpMessage(start + added + "\r\n", body, content);
  }

  /** With another body, which is not in chunks. */
  HttpMessage withContent(String newContent) {
    String length = Integer.toString(newContent.length());
    String newHead = withHeader(ENCODING, "").withHeader(LENGTH, length).head;
    return new HttpMessage(newHead, newContent, newContent);
  }

  /** With another status, if it has this one. */
  HttpMessage withStatus(String from, String to) {
    return new HttpMessage(head.replaceFirst("(?<=^HTTP/1.1 )" + from, to), body, content);
  }

  /** With another {@link #text}; the length of the body is stated anew if one was. */
  HttpMessage withText(String newText) {
    int end = newText.indexOf(HEAD_END) + HEAD_END.length();
    String newBody = newText.substring(end);
    var changed = new HttpMessage(newText.substring(0, end), newBody, newBody);
    boolean isFramed = !changed.header(LENGTH).isEmpty() || !changed.header(ENCODING).isEmpty();
    return isFramed ? changed.withContent(newBody) : changed;
  }
}
