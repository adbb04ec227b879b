/**
 * The outputs and states that a model declares, and the checks of those that its backend gives. Not
 * known here: requests, batches and how memory is leased. Used by the threads of instances. Read
 * {@link io.nereid.engine.execution.output.DeclaredOutput} first.
 */
@NullMarked
package io.nereid.engine.execution.output;

import org.jspecify.annotations.NullMarked;
