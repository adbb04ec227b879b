/** What logs, metrics and events tell of the life of a model. */
@NullMarked
package io.nereid.server.telemetry;

import org.jspecify.annotations.NullMarked;
