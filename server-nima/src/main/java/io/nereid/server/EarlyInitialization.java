package io.nereid.server;

import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.server.codec.PowersOfTen;
import io.nereid.server.http.connection.HttpListener;
import io.netty.channel.epoll.Epoll;

/**
 * Initializes classes that take long to, and that each start and the first requests need, on a
 * thread of its own: meanwhile another reads the command line, which takes as long.
 */
final class EarlyInitialization {
  private EarlyInitialization() {}

  /** Returns at once. A class that cannot be initialized fails again where it is needed. */
  static void begin() {
    Thread.ofPlatform().daemon().name("early initialization").start(EarlyInitialization::run);
  }

  private static void run() {
    try {
      initialize();
    } catch (LinkageError | RuntimeException _) {
      // fails again where it is needed, which says what for
    }
  }

  private static void initialize() {
    HttpListener.excludeServices();
    var _ = new ArenaAllocator(); // links the system calls
    var _ = ModelConfig.getDescriptor(); // with those of all messages of its file
    var _ = InferParameter.getDescriptor();
    var _ = Epoll.isAvailable(); // loads Netty's library
    var _ = PowersOfTen.high(0); // calculates the table
  }
}
