package io.nereid.server.grpc.connection;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.NettyServerBuilder;
import io.nereid.engine.memory.ClientCounts;
import io.nereid.engine.memory.ClientCounts.Excess;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.frontend.Endpoints;
import io.nereid.server.grpc.connection.GrpcConnection.ConnectionSettings;
import io.nereid.server.grpc.limits.CallCount;
import io.nereid.server.grpc.limits.ConnectionStarts;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.EventExecutor;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;

/**
 * The connections of a listener, from the moment that the system accepts them: counts them, closes
 * those above the limits, and stops them. Thread-safe.
 */
public final class GrpcConnections {
  /**
   * How much a connection has for its socket before responses wait in their streams: as much as a
   * usual image. Netty's 64 KiB would divide it into ten writes, and wake the event loop for each.
   */
  private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(512 << 10, 1 << 20);

  private final ConnectionSettings settings;
  private final Set<String> endless;
  private final Set<String> large;
  private final EventLoops loops = new EventLoops();
  private final ConcurrentMap<Endpoints, GrpcConnection> open = new ConcurrentHashMap<>();
  private final IdleConnections idle = new IdleConnections(open.values(), System::nanoTime);
  private final ClientCounts counts;
  private volatile boolean stopping;
  private boolean encrypted;

  /**
   * @param memory for messages of which a part has come
   * @param endless full names of the methods whose calls do not end by themselves
   * @param large full names of the methods whose messages may be large
   */
  public GrpcConnections(
      GrpcLimits limits, RequestMemory memory, Set<String> endless, Set<String> large) {
    this.endless = Set.copyOf(endless);
    this.large = Set.copyOf(large);
    settings =
        new ConnectionSettings(
            limits,
            new Refusals<>(GrpcRefusal.class, "gRPC", System::nanoTime),
            memory,
            new CallCount(limits.calls().maxRequests()));
    counts = ClientCounts.fixed(limits.connections().max(), limits.connections().maxOfClient());
  }

  /**
   * Has a listener use these connections.
   *
   * @param isEncrypted whether they have TLS, so that frames are not seen where they are read
   */
  public void install(NettyServerBuilder listener, boolean isEncrypted) {
    encrypted = isEncrypted;
    loops.install(listener, new Acceptor());
    listener.addTransportFilter(new Filter()).addStreamTracerFactory(new WatchFactory());
  }

  public Refusals<GrpcRefusal> refusals() {
    return settings.refusals();
  }

  /** How many tasks wait for each event loop. */
  public List<Integer> pendingTasks() {
    return loops.pendingTasks();
  }

  /** The memory for messages in gRPC's buffers. */
  public RequestMemory memory() {
    return settings.memory();
  }

  /** Calls in flight. */
  public int calls() {
    return settings.calls().get();
  }

  /** Open connections. */
  public int count() {
    return counts.all();
  }

  /** Whether a connection may be served; if so, it is counted. */
  private boolean accept(ClientKey client) {
    if (counts.all() >= settings.limits().connections().max() - IdleConnections.KNOWN) {
      idle.look();
    }
    Excess excess = counts.add(client);
    while (excess == Excess.OF_ALL && makeRoom()) {
      excess = counts.add(client);
    }
    if (excess != null) {
      settings
          .refusals()
          .count(
              excess == Excess.OF_ALL ? GrpcRefusal.CONNECTIONS : GrpcRefusal.CLIENT_CONNECTIONS,
              client.text());
    }
    return excess == null;
  }

  /** Closes a connection without a call for a new one; returns whether there was one. */
  private boolean makeRoom() {
    for (GrpcConnection next = idle.poll(); next != null; next = idle.poll()) {
      if (leave(next)) {
        GrpcConnection closing = next;
        next.refuse(GrpcRefusal.ROOM);
        next.execute(() -> closing.stop("others need the connection"));
        return true;
      }
    }
    return false;
  }

  /** Makes a connection known until it is closed. */
  private void open(Channel channel, SocketAddress remote, ClientKey client) {
    var connection = new GrpcConnection(channel, client, settings);
    var divided = new DividedReads(connection, /* decrypted= */ false);
    channel
        .config()
        .setRecvByteBufAllocator(
            new CallReads(
                encrypted ? CallReads.LARGEST_ENCRYPTED : CallReads.LARGEST,
                connection::startedCalls,
                connection::ahead,
                divided::begun));
    var _ = channel.pipeline().addFirst(encrypted ? new DecryptedReads(connection) : divided);
    channel.config().setWriteBufferWaterMark(UNSENT);
    var endpoints = new Endpoints(remote, channel.localAddress());
    open.put(endpoints, connection);
    long openedNanos = System.nanoTime();
    var _ = channel.closeFuture().addListener(_ -> closed(endpoints, connection, openedNanos));
  }

  private void closed(Endpoints endpoints, GrpcConnection connection, long openedNanos) {
    open.remove(endpoints, connection);
    var _ = leave(connection);
    long age = System.nanoTime() - openedNanos;
    if (!connection.isReady()
        && age >= settings.limits().connections().handshakeTimeout().toNanos()) {
      settings.refusals().count(GrpcRefusal.HANDSHAKE, connection.client().text());
    }
  }

  /** Ends the place of a connection; returns false if that has ended before. */
  private boolean leave(GrpcConnection connection) {
    boolean isFirst = connection.use().leavePlace();
    if (isFirst) {
      counts.remove(connection.client());
    }
    return isFirst;
  }

  /**
   * Closes connections that have no call, and the others when they have none any more. Calls whose
   * request has not come whole end. A second call does nothing.
   */
  public void stop() {
    if (stopping) {
      return;
    }
    stopping = true;
    loops.executeAccepting(() ->
        open.values()
            .forEach(connection -> connection.execute(() -> connection.stop("the server stops"))));
  }

  /**
   * Ends all calls, with a status that says why, and closes their connections.
   *
   * @return how many calls it has ended
   */
  public int endCalls() {
    List<CompletableFuture<Integer>> ended = new ArrayList<>();
    for (GrpcConnection connection : open.values()) {
      var calls = new CompletableFuture<Integer>();
      ended.add(calls);
      connection.execute(() -> calls.complete(connection.endCalls()));
    }
    return ended.stream().mapToInt(CompletableFuture::join).sum();
  }

  /** Ends the event loops, once the listener has terminated. */
  public void close() {
    loops.close();
  }

  /** Sees each accepted connection first. Called by the thread that accepts. */
  private final class Acceptor extends ChannelInboundHandlerAdapter {
    private final ConnectionStarts starts = new ConnectionStarts();

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      var channel = (Channel) accepted;
      SocketAddress remote = channel.remoteAddress();
      if (remote == null) {
        channel.unsafe().closeForcibly(); // by the client already
        return;
      }
      ClientKey client = ClientKey.of(remote);
      if (accept(client)) {
        starts.add(() -> start(context, channel, remote, client));
      } else {
        channel.unsafe().closeForcibly();
      }
    }

    private void start(
        ChannelHandlerContext context, Channel channel, SocketAddress remote, ClientKey client) {
      if (stopping) {
        channel.unsafe().closeForcibly();
        counts.remove(client);
      } else {
        open(channel, remote, client);
        context.fireChannelRead(channel); // which gives it an event loop
      }
      EventExecutor accepting = context.executor();
      EventExecutor serving = channel.isOpen() ? channel.eventLoop() : accepting;
      execute(serving, () -> execute(accepting, starts::started));
    }

    private static void execute(EventExecutor loop, Runnable task) {
      try {
        loop.execute(task);
      } catch (RejectedExecutionException ended) {
        // The listener has stopped, and starts no more connections.
      }
    }
  }

  /** Tells connections that HTTP/2 has begun, and calls which connection they have. */
  private final class Filter extends ServerTransportFilter {
    @Override
    public Attributes transportReady(Attributes attributes) {
      SocketAddress remote = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
      SocketAddress local = attributes.get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR);
      GrpcConnection connection =
          remote == null || local == null ? null : open.get(new Endpoints(remote, local));
      if (connection == null) {
        return attributes; // closed meanwhile
      }
      connection.ready();
      return attributes.toBuilder().set(GrpcConnection.KEY, connection).build();
    }
  }

  private final class WatchFactory extends ServerStreamTracer.Factory {
    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
      return new CallWatch(endless.contains(method), large.contains(method));
    }
  }
}
