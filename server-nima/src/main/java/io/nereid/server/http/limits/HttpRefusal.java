package io.nereid.server.http.limits;

import io.nereid.engine.telemetry.refusal.RefusalKind;
import java.lang.System.Logger.Level;

/** Why a listener has refused or ended something of a client. */
public enum HttpRefusal implements RefusalKind {
  CONNECTIONS("connections above the limit are refused"),
  CLIENT_CONNECTIONS("connections of a client above its limit are refused"),
  ROOM("connections that are idle, or wait for the rest of a head, are closed for new ones"),
  IDLE("connections that are idle for too long are closed"),
  SILENT("new connections that send nothing, or no handshake of TLS, are closed"),
  HANDSHAKE_FAILED("handshakes of TLS fail, by a client's certificate or its alert"),
  SLOW_HEAD("requests whose head does not come in time are refused"),
  SLOW_BODY("requests whose body does not come in time are refused"),
  SLOW_READER("connections whose response is not read in time are closed"),
  REQUESTS("requests above --http-max-requests are refused"),
  CLIENT_REQUESTS("requests of a client above its share of --http-max-requests are refused");

  private final String event;

  /**
   * @param event what happens to clients
   */
  HttpRefusal(String event) {
    this.event = event;
  }

  @Override
  public String event() {
    return event;
  }

  /** Idle connections end every day. */
  @Override
  public Level level() {
    return this == IDLE ? Level.DEBUG : Level.WARNING;
  }
}
