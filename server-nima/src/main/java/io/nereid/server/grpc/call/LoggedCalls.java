package io.nereid.server.grpc.call;

import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.nereid.engine.memory.ClientKey;
import io.nereid.error.InferenceException;
import io.nereid.server.telemetry.access.AccessEntry;
import io.nereid.server.telemetry.access.AccessLog;
import io.nereid.server.telemetry.access.Protocol;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a server with an access log: each has an entry, which the methods of inference add
 * to. Without an access log none of this is installed. Each call is told of by one thread at a
 * time.
 */
public final class LoggedCalls extends ServerStreamTracer.Factory {
  private static final Context.Key<AccessEntry> ENTRY = Context.key("access log");

  private final AccessLog log;

  public LoggedCalls(AccessLog log) {
    this.log = log;
  }

  /** The entry of the present call; null if there is none. */
  public static @Nullable AccessEntry entry() {
    return ENTRY.get();
  }

  /** Sets the model of the present call, if there is an entry. */
  public static void model(String name, String version) {
    AccessEntry entry = entry();
    if (entry != null) {
      entry.model(name, version);
    }
  }

  /** Sets the outcome of a request. */
  public static void ended(AccessEntry entry, @Nullable InferenceException failure) {
    ended(entry, failure == null ? Status.OK : GrpcErrors.status(failure));
  }

  private static void ended(AccessEntry entry, Status status) {
    entry.status(status.getCode().name());
    entry.error(status.isOk() ? null : status.getDescription());
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new LoggedCall(method, headers);
  }

  private final class LoggedCall extends ServerStreamTracer {
    private final AccessEntry entry = log.begin(Protocol.GRPC, ClientKey.LOCAL.text());
    private long bytesIn;
    private long bytesOut;

    LoggedCall(String method, Metadata headers) {
      entry.rpc(method);
      entry.fields(name -> GrpcRequests.textMetadata(headers, name));
    }

    @Override
    public Context filterContext(Context context) {
      return context.withValue(ENTRY, entry);
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> call) {
      SocketAddress address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
      if (address != null) {
        entry.client(ClientKey.of(address).text());
      }
    }

    @Override
    public void inboundWireSize(long bytes) {
      bytesIn += bytes;
    }

    @Override
    public void outboundWireSize(long bytes) {
      bytesOut += bytes;
    }

    @Override
    public void streamClosed(Status status) {
      entry.received(bytesIn);
      entry.sent(bytesOut);
      ended(entry, status);
      log.end(entry);
    }
  }
}
