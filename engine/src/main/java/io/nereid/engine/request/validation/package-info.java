/**
 * The check of a request against its model's configuration, with Triton's error texts. Pure; runs
 * on the thread that submits the request. Read {@link
 * io.nereid.engine.request.validation.RequestValidator}.
 */
@NullMarked
package io.nereid.engine.request.validation;

import org.jspecify.annotations.NullMarked;
