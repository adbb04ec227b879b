package io.nereid.spi.trace;

import java.util.Optional;

/**
 * What sends traces elsewhere. Any thread may call its methods, except {@link #close}, which is
 * called once and last.
 */
public interface TraceExporter extends AutoCloseable {
  /**
   * Takes the trace of a request that has ended. It is called by threads that serve requests: it
   * neither waits nor throws, and what cannot be kept until it is sent is dropped.
   *
   * @param root the span of the request
   * @param traceId of its trace, which logs have too: 32 hexadecimal digits, those of the parent if
   *     there is one
   * @param parent the context that the client sent with the request
   */
  void export(TraceSpan root, String traceId, Optional<TraceContext> parent);

  /** The spans so far that were dropped, or could not be sent. */
  long droppedSpans();

  /** Sends what waits, for some seconds at most, and releases all resources; never throws. */
  @Override
  void close();
}
