/**
 * One inference from decoded request to scheduler: look-up, validation, submission. Runs on the
 * connection's thread; knows no wire form. Read {@link io.nereid.engine.InferenceEngine} first.
 */
@NullMarked
package io.nereid.engine;

import org.jspecify.annotations.NullMarked;
