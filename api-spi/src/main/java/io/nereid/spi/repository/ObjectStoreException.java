package io.nereid.spi.repository;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The failure of a request to an object store. The message is one line for the operator. */
public final class ObjectStoreException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Why a request failed, and so what can be done about it. */
  public enum Reason {
    /** The store cannot be reached, is overloaded or has failed: a repetition may succeed. */
    UNAVAILABLE,
    /** There is no such bucket or object. */
    NOT_FOUND,
    /** The credentials are missing, wrong or not sufficient. */
    DENIED,
    /** The object is not the one that was listed. */
    CHANGED,
    /** The store does not accept the request for another reason. */
    REJECTED
  }

  private final Reason reason;

  public ObjectStoreException(Reason reason, String message) {
    this(reason, message, null);
  }

  public ObjectStoreException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  /** The message; never null. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? "" : message;
  }
}
