/**
 * Calls of models by models: what a step of an ensemble, a backend or a program's model may do with
 * a model that it calls, and the calls that backends make. Does not know how the called models are
 * found and executed. Any thread may call it. Read {@link io.nereid.engine.call.CalledModel} first,
 * then {@link io.nereid.engine.call.RequestCalls}.
 */
@NullMarked
package io.nereid.engine.call;

import org.jspecify.annotations.NullMarked;
