/**
 * The single entry point for requests: model look-up, validation, admission. HTTP, gRPC, streams,
 * steps of ensembles and embedding programs all use it. Knows no wire form. Runs on the thread that
 * submits a request and never blocks. Read {@link io.nereid.engine.InferenceEngine} first.
 */
@NullMarked
package io.nereid.engine;

import org.jspecify.annotations.NullMarked;
