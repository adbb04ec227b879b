package io.nereid.server.faults;

import io.nereid.server.faults.Change.Conduct;
import io.nereid.server.faults.Fault.Protocol;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;

/**
 * A client's connection, and one to the server behind the proxy: a request is read whole, and
 * answered before the next one is read. Used by one thread.
 */
final class HttpFaultConnection {
  private final Fault fault;
  private final Map<String, HttpMessage> first;
  private final InputStream fromClient;
  private final OutputStream toClient;
  private final InputStream fromServer;
  private final OutputStream toServer;

  /** An answer that waits until the next one has been sent. */
  private Optional<HttpMessage> held = Optional.empty();

  /**
   * A connection of sockets that others close.
   *
   * @param first the first answer to each request, of all connections
   */
  HttpFaultConnection(Fault fault, Map<String, HttpMessage> first, Socket client, Socket server)
      throws IOException {
    this.fault = fault;
    this.first = first;
    fromClient = new BufferedInputStream(client.getInputStream());
    toClient = client.getOutputStream();
    fromServer = new BufferedInputStream(server.getInputStream());
    toServer = server.getOutputStream();
  }

  /** Returns when the connection is to be closed. */
  void run() throws IOException {
    boolean goesOn = true;
    while (goesOn) {
      Optional<HttpMessage> request = HttpMessage.request(fromClient);
      goesOn = request.isPresent() && respond(request.get());
    }
  }

  /** Responds to a request; returns whether there may be a next one. */
  private boolean respond(HttpMessage request) throws IOException {
    if (!fault.isOf(Protocol.HTTP, request.call(), request::text)) {
      return send(ask(request));
    }
    return switch (fault.change()) {
      case Change.Request(var text) -> send(ask(request.withText(text.apply(request.text()))));
      case Change.Answer(var text) -> {
        HttpMessage answer = ask(request);
        yield send(answer.withContent(text.apply(answer.content())));
      }
      case Change.Status(var from, var to) -> send(ask(request).withStatus(from, to));
      case Change.Header(var name, var value) -> send(ask(request).withHeader(name, value));
      case Change.Reply(var text) -> {
        String[] parts = text.split(" ", 2);
        yield send(HttpMessage.reply(parts[0], parts.length == 1 ? "" : parts[1]));
      }
      case Change.Cut(int missing) -> {
        byte[] bytes = ask(request).bytes();
        toClient.write(bytes, 0, bytes.length - missing);
        yield false;
      }
      case Change.Length(int more) -> {
        HttpMessage answer = ask(request);
        String length = Integer.toString(answer.content().length() + more);
        HttpMessage whole = answer.withContent(answer.content());
        yield send(whole.withHeader("Content-Length", length)) && more < 0;
      }
      case Conduct conduct -> conduct(conduct, request);
      case Change.Drop _, Change.End _ -> throw ofGrpc();
    };
  }

  private boolean conduct(Conduct conduct, HttpMessage request) throws IOException {
    return switch (conduct) {
      case NONE -> send(ask(request));
      case CLOSE -> false;
      case TWICE -> {
        var _ = ask(request);
        yield send(ask(request));
      }
      case SWAP -> {
        held = Optional.of(ask(request));
        yield true;
      }
      case STALE -> {
        HttpMessage answer = first.get(request.text());
        if (answer == null) {
          answer = ask(request);
          first.put(request.text(), answer);
        }
        yield send(answer);
      }
      case DEAF -> throw ofGrpc();
    };
  }

  private IllegalStateException ofGrpc() {
    return new IllegalStateException("a change of gRPC alone: " + fault.change());
  }

  /** The answer of the server behind the proxy. */
  private HttpMessage ask(HttpMessage request) throws IOException {
    toServer.write(request.bytes());
    boolean hasBody = !request.call().startsWith("HEAD ");
    HttpMessage answer = HttpMessage.answer(fromServer, hasBody);
    while (answer.isInterim()) {
      toClient.write(answer.bytes());
      answer = HttpMessage.answer(fromServer, hasBody);
    }
    return answer;
  }

  private boolean send(HttpMessage answer) throws IOException {
    toClient.write(answer.bytes());
    if (held.isPresent()) {
      toClient.write(held.get().bytes());
      held = Optional.empty();
    }
    return !answer.closes();
  }
}
