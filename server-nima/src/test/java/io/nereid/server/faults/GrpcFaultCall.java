package io.nereid.server.faults;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.nereid.server.faults.Change.Conduct;
import io.nereid.server.faults.Fault.Protocol;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A client's call, and one to the server behind the proxy: messages, statuses and cancellations go
 * on as they come, but for the fault. Any thread may call it.
 */
final class GrpcFaultCall extends ServerCall.Listener<byte[]> {
  /** The beginning of a status that tells of a wrong line in the table. */
  static final String IMPOSSIBLE = "the fault cannot be planted: ";

  private final Fault fault;
  private final Map<String, byte[]> first;
  private final ServerCall<byte[], byte[]> client;
  private final ClientCall<byte[], byte[]> server;
  private final String name;
  private final Optional<GrpcMessages> messages;

  /** The request whose first answer is kept, if the fault gives it again. */
  private String asked = "";

  private boolean hasFault;
  private boolean isOver;
  private int received;
  private byte @Nullable [] held;

  /** {@code first}: the first answer to each request, of all calls. */
  GrpcFaultCall(
      Fault fault,
      Map<String, byte[]> first,
      ServerCall<byte[], byte[]> client,
      ClientCall<byte[], byte[]> server) {
    this.fault = fault;
    this.first = first;
    this.client = client;
    this.server = server;
    name = client.getMethodDescriptor().getFullMethodName();
    messages = GrpcMessages.of(name);
  }

  /** Begins the call to the server, with the headers of the client's. */
  synchronized void start(Metadata headers) {
    hasFault = fault.isOf(Protocol.GRPC, name, () -> "");
    if (hasFault && fault.change() instanceof Change.Header(var header, var value)) {
      var key = Metadata.Key.of(header, Metadata.ASCII_STRING_MARSHALLER);
      headers.discardAll(key);
      if (!value.isEmpty()) {
        headers.put(key, value);
      }
    }
    server.start(new FromServer(), headers);
    client.request(Integer.MAX_VALUE);
    server.request(Integer.MAX_VALUE);
  }

  @Override
  public synchronized void onMessage(byte[] message) {
    if (isOver) {
      return;
    }
    if (!fault.isOf(Protocol.GRPC, name, () -> textOf(message))) {
      server.sendMessage(message);
      return;
    }
    hasFault = true;
    try {
      request(message);
    } catch (IllegalArgumentException wrong) {
      end(Status.UNKNOWN.withDescription(IMPOSSIBLE + wrong.getMessage()));
    }
  }

  private String textOf(byte[] request) {
    return messages.map(known -> known.requestText(request)).orElse("");
  }

  private void request(byte[] message) {
    switch (fault.change()) {
      case Change.Request(var text) ->
          server.sendMessage(messages.orElseThrow().request(message, text::apply));
      case Change.Reply(var text) -> reply(messages.orElseThrow().answer(text));
      case Conduct conduct when conduct == Conduct.CLOSE ->
          end(Status.UNAVAILABLE.withDescription("the connection is closed"));
      case Conduct conduct when conduct == Conduct.STALE -> {
        asked = name + " " + textOf(message);
        byte[] known = first.get(asked);
        if (known == null) {
          server.sendMessage(message);
        } else {
          reply(known);
        }
      }
      default -> server.sendMessage(message);
    }
  }

  private void reply(byte[] answer) {
    client.sendHeaders(new Metadata());
    client.sendMessage(answer);
    end(Status.OK);
  }

  /** Ends the call, whatever the server says. */
  private void end(Status status) {
    isOver = true;
    client.close(status, new Metadata());
    server.cancel("the call is over", null);
  }

  @Override
  public synchronized void onHalfClose() {
    if (!isOver) {
      server.halfClose();
    }
  }

  @Override
  public synchronized void onCancel() {
    isOver = true;
    if (!hasFault || fault.change() != Conduct.DEAF) {
      server.cancel("the client has cancelled", null);
    }
  }

  /** What comes of the server behind the proxy. */
  private final class FromServer extends ClientCall.Listener<byte[]> {
    @Override
    public void onHeaders(Metadata headers) {
      synchronized (GrpcFaultCall.this) {
        if (!isOver) {
          client.sendHeaders(headers);
        }
      }
    }

    @Override
    public void onMessage(byte[] message) {
      synchronized (GrpcFaultCall.this) {
        if (isOver) {
          return;
        }
        received++;
        if (hasFault) {
          try {
            answer(message);
          } catch (IllegalArgumentException wrong) {
            end(Status.UNKNOWN.withDescription(IMPOSSIBLE + wrong.getMessage()));
          }
        } else {
          client.sendMessage(message);
        }
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      synchronized (GrpcFaultCall.this) {
        if (!isOver) {
          isOver = true;
          sendHeld();
          client.close(hasFault ? changed(status) : status, trailers);
        }
      }
    }
  }

  private void answer(byte[] message) {
    switch (fault.change()) {
      case Change.Answer(var text) ->
          client.sendMessage(messages.orElseThrow().answer(message, text::apply));
      case Change.Cut(int missing) ->
          client.sendMessage(Arrays.copyOf(message, message.length - missing));
      case Change.Drop(int number) -> {
        if (received != number) {
          client.sendMessage(message);
        }
      }
      case Change.End(int count) -> {
        client.sendMessage(message);
        if (received == count) {
          end(Status.OK);
        }
      }
      case Conduct conduct -> {
        switch (conduct) {
          case SWAP -> swap(message);
          case TWICE -> {
            client.sendMessage(message);
            client.sendMessage(message);
          }
          case STALE -> {
            first.put(asked, message);
            client.sendMessage(message);
          }
          case CLOSE, DEAF, NONE -> client.sendMessage(message);
        }
      }
      case Change.Request _, Change.Reply _, Change.Status _, Change.Header _, Change.Length _ ->
          client.sendMessage(message);
    }
  }

  /** Sends the second message before the first. */
  private void swap(byte[] message) {
    if (received == 1) {
      held = message;
    } else {
      client.sendMessage(message);
      sendHeld();
    }
  }

  private void sendHeld() {
    byte[] last = held;
    held = null;
    if (last != null) {
      client.sendMessage(last);
    }
  }

  private Status changed(Status status) {
    String text = Objects.requireNonNullElse(status.getDescription(), "");
    return switch (fault.change()) {
      case Change.Status(var from, var to) when status.getCode().name().equals(from) ->
          Status.Code.valueOf(to).toStatus().withDescription(text);
      case Change.Answer(var change) -> status.withDescription(change.apply(text));
      default -> status;
    };
  }
}
