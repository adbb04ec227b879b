package io.nereid.server.grpc.connection;

import io.grpc.ServerCall;
import io.nereid.engine.memory.ClientCounts.Excess;
import io.nereid.engine.memory.ClientKey;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.nereid.server.grpc.limits.MessageHead;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What a call knows of the connection that it has come over. */
public final class CallConnection {
  private CallConnection() {}

  /** Whose call it is. */
  public static ClientKey client(ServerCall<?, ?> call) {
    GrpcConnection connection = call.getAttributes().get(GrpcConnection.KEY);
    return connection == null ? ClientKey.LOCAL : connection.client();
  }

  /** Whether the calling thread is the event loop of a call, and has no other call in flight. */
  public static boolean isAlone(ServerCall<?, ?> call) {
    GrpcConnection connection = call.getAttributes().get(GrpcConnection.KEY);
    return connection != null && connection.hasOnlyCall();
  }

  /** Why this new call is to be refused, and null if it is not; a refusal is counted. */
  public static @Nullable String refusal(ServerCall<?, ?> call) {
    GrpcConnection connection = call.getAttributes().get(GrpcConnection.KEY);
    Excess excess = connection == null ? null : connection.excess();
    if (connection == null || excess == null) {
      return null;
    }
    return switch (excess) {
      case OF_ALL -> {
        connection.refuse(GrpcRefusal.REQUESTS);
        yield "the server has more than %d gRPC calls in flight (--grpc-max-requests)"
            .formatted(connection.maxRequests());
      }
      case OF_CLIENT -> {
        connection.refuse(GrpcRefusal.CLIENT_REQUESTS);
        yield ("the client has more gRPC calls in flight than are free for others, of %d"
                + " (--grpc-max-requests)")
            .formatted(connection.maxRequests());
      }
    };
  }

  /** Has this new call told of the head of its message, if that comes in parts. */
  public static void tellHead(ServerCall<?, ?> call, MessageHead.Receiver receiver) {
    CallWatch watch = newest(call);
    if (watch != null) {
      watch.tellHead(receiver);
    }
  }

  /** Has this new call ended once it has been idle for too long. */
  public static void tellIdle(ServerCall<?, ?> call, BooleanSupplier isIdle) {
    CallWatch watch = newest(call);
    if (watch != null) {
      watch.tellIdle(isIdle);
    }
  }

  private static @Nullable CallWatch newest(ServerCall<?, ?> call) {
    GrpcConnection connection = call.getAttributes().get(GrpcConnection.KEY);
    return connection == null ? null : connection.newest();
  }
}
