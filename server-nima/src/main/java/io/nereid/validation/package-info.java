/**
 * Whether a request fits a model's configuration. Pure; on the connection's thread. Read {@link
 * io.nereid.validation.RequestValidator}.
 */
@NullMarked
package io.nereid.validation;

import org.jspecify.annotations.NullMarked;
