package io.nereid.server.warmup;

import io.nereid.server.frontend.FrontEnd;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.grpc.GrpcSettings;
import io.nereid.server.grpc.GrpcTransport;
import io.nereid.server.http.HttpSettings;
import io.nereid.server.http.HttpTransport;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.ListenerSecurity;
import io.nereid.server.security.RestrictedApis;
import io.nereid.server.security.RestrictedApis.Group;
import io.nereid.server.security.RestrictedApis.Protocol;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Sends requests to the server before it is ready, so that the first clients do not wait for the
 * JVM to initialize what is on their way, and for as long afterwards as options say. They go over
 * sockets, through front ends of their own on free ports of the loopback address, and name a model
 * that there cannot be: so none of them is executed, counted, logged or traced. Other users of the
 * machine can reach these ports too: all calls need a header that only the warm-up knows. A warm-up
 * that fails is one line in the log, and the server serves.
 */
public final class ServerWarmup implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerWarmup.class.getName());

  /** How long a server that had requests is left alone, before it is asked again whether it has. */
  private static final long PAUSE_MILLIS = 100;

  private static final int MAX_REQUESTS = 64;
  private static final long MAX_INPUT_SIZE = 1 << 20;
  private static final Duration STOP = Duration.ofSeconds(1);

  /** The value of the header without which no call is allowed. */
  private final String secret = UUID.randomUUID().toString();

  private final Duration limit;
  private final Duration limitAfterReady;
  private final boolean overHttp;
  private final boolean overGrpc;
  private final BooleanSupplier wasIdle;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Held while requests are sent, which use the server's memory; and from the close on. */
  private final Semaphore running = new Semaphore(1);

  /**
   * @param limit how long requests are sent before the server is ready; zero for no warm-up at all
   * @param limitAfterReady how long it goes on when the server is ready
   * @param overHttp whether the server is to serve HTTP
   * @param overGrpc whether it is to serve gRPC
   * @param wasIdle whether the server had no request since it was asked last
   */
  public ServerWarmup(
      Duration limit,
      Duration limitAfterReady,
      boolean overHttp,
      boolean overGrpc,
      BooleanSupplier wasIdle) {
    this.limit = limit;
    this.limitAfterReady = limitAfterReady;
    this.overHttp = overHttp;
    this.overGrpc = overGrpc;
    this.wasIdle = wasIdle;
  }

  /** Sends some requests over each protocol, and more until the limit is over. */
  public void run(FrontEndServices services) {
    if (isWanted()) {
      run("warm-up", limit, () -> true, services);
    }
  }

  /** Goes on by a thread of its own, while clients send no requests: the server is ready. */
  public void goOn(FrontEndServices services) {
    if (isWanted() && !limitAfterReady.isZero()) {
      Thread.ofPlatform()
          .daemon()
          .name("server warm-up")
          .start(() -> run("warm-up after the start", limitAfterReady, wasIdle, services));
    }
  }

  private boolean isWanted() {
    return !limit.isZero() && (overHttp || overGrpc);
  }

  /** Ends the warm-up early, and waits for the requests that were sent. None begins afterwards. */
  @Override
  public void close() {
    closed.countDown();
    running.acquireUninterruptibly();
  }

  /** {@code mayRun}: whether requests may be sent now. */
  private void run(String what, Duration time, BooleanSupplier mayRun, FrontEndServices services) {
    if (!running.tryAcquire()) {
      return;
    }
    long begin = System.nanoTime();
    List<FrontEnd> started = new ArrayList<>();
    try {
      if (overHttp) {
        started.add(http(unobserved(services)).start());
      }
      if (overGrpc) {
        started.add(grpc(unobserved(services)).start());
      }
      long requests = 0;
      boolean goesOn = closed.getCount() > 0;
      while (goesOn) {
        if (mayRun.getAsBoolean()) {
          requests += round(started);
        } else {
          var _ = closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
        goesOn = closed.getCount() > 0 && System.nanoTime() - begin < time.toNanos();
      }
      LOG.log(
          Level.INFO,
          "{0}: {1} requests in {2} ms",
          what,
          Long.toString(requests),
          Long.toString(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin)));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (Throwable failed) { // also an Error: the server serves without
      LOG.log(Level.WARNING, "the server could not warm up: {0}", failed.toString());
    } finally {
      started.forEach(each -> each.stop(STOP));
      running.release();
    }
  }

  private int round(List<FrontEnd> started) throws IOException {
    for (FrontEnd each : started) {
      if (each instanceof GrpcTransport) {
        WarmupRequests.sendGrpc(each.port(), secret);
      } else {
        WarmupRequests.sendHttp(each.port(), secret);
      }
    }
    return started.size() * WarmupRequests.COUNT;
  }

  /** The server's services, without its access log and its traces. */
  private static FrontEndServices unobserved(FrontEndServices services) {
    return new FrontEndServices(
        services.engine(),
        services.models(),
        RuntimeSettings.detached(),
        services.identity(),
        services.memory(),
        services.longWork(),
        services.load());
  }

  FrontEnd http(FrontEndServices services) {
    var listener = new ListenerSettings("HTTP of the warm-up", address(), 0);
    return HttpTransport.listener(
        new HttpSettings(listener, MAX_INPUT_SIZE, MAX_REQUESTS),
        security(Protocol.HTTP),
        services,
        Optional.empty());
  }

  FrontEnd grpc(FrontEndServices services) {
    return GrpcTransport.of(GrpcSettings.of(address(), 0), security(Protocol.GRPC), services);
  }

  private ListenerSecurity security(Protocol protocol) {
    var all = new Group(List.of(ApiCategory.values()), WarmupRequests.HEADER, secret);
    return new ListenerSecurity(Optional.empty(), RestrictedApis.of(protocol, List.of(all)));
  }

  private static String address() {
    return InetAddress.getLoopbackAddress().getHostAddress();
  }
}
