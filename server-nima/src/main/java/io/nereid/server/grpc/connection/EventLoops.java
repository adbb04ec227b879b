package io.nereid.server.grpc.connection;

import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelHandler;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The threads that accept and serve connections. An event loop reads of its connections, then runs
 * the tasks that have come meanwhile, such as responses; this is a turn. A turn is short whatever
 * the clients send, so that a request waits for at most a few megabytes of others: it reads once,
 * as {@link CallReads} says, of at most {@link #MAX_CONNECTIONS} connections. Only large messages
 * on each of them make these sixteen megabytes, some 5 ms. Thread-safe.
 */
final class EventLoops {
  /** The event loops that serve connections. */
  static final int COUNT = Runtime.getRuntime().availableProcessors();

  /** Connections of which a turn reads. The system passes them on in the order of their data. */
  private static final int MAX_CONNECTIONS = 16;

  private final EventLoopGroup accepting;
  private final EventLoopGroup serving;

  EventLoops() {
    accepting = group(1, new DefaultThreadFactory("grpc accept", true));
    serving = group(COUNT, new DefaultThreadFactory("grpc event loop", true));
  }

  /** Of classes that Netty 4.1 has too: a program that embeds the server may have that. */
  @SuppressWarnings("deprecation") // by 4.2
  private static EventLoopGroup group(int threads, ThreadFactory factory) {
    if (Epoll.isAvailable()) { // an expression with both has a type that 4.1 lacks
      return new EpollEventLoopGroup(
          threads, factory, MAX_CONNECTIONS, DefaultSelectStrategyFactory.INSTANCE);
    }
    return new NioEventLoopGroup(threads, factory);
  }

  /**
   * Has a listener use these threads.
   *
   * @param acceptor sees each accepted connection first
   */
  void install(NettyServerBuilder listener, ChannelHandler acceptor) {
    listener
        .channelFactory(() -> serverChannel(acceptor))
        .bossEventLoopGroup(accepting)
        .workerEventLoopGroup(serving);
  }

  private static ServerChannel serverChannel(ChannelHandler acceptor) {
    ServerChannel channel =
        Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    channel.pipeline().addFirst(acceptor);
    return channel;
  }

  /** How many tasks wait for each thread that serves connections. */
  List<Integer> pendingTasks() {
    List<Integer> tasks = new ArrayList<>();
    for (EventExecutor loop : serving) {
      tasks.add(loop instanceof SingleThreadEventExecutor thread ? thread.pendingTasks() : 0);
    }
    return tasks;
  }

  /** Has the thread that accepts connections run a task. */
  void executeAccepting(Runnable task) {
    accepting.execute(task);
  }

  /** Ends the threads, once the listener has terminated. */
  void close() {
    var _ = accepting.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    // Instances that still execute calls which have ended may yet respond to them.
    var _ = serving.shutdownGracefully(1, 5, TimeUnit.SECONDS);
  }
}
