/**
 * Traces as spans for an exporter, which is an optional part of the server: a folder of jars with a
 * class loader of its own. Nothing of this package is used unless the server is started with such a
 * trace mode. Knows no request and no protocol. Called by any thread. Read {@link
 * io.nereid.engine.telemetry.trace.export.ExportingSink} first.
 */
@NullMarked
package io.nereid.engine.telemetry.trace.export;

import org.jspecify.annotations.NullMarked;
