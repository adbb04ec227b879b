/** Tests of loading models and of loaded models. */
@NullMarked
package io.nereid.server.model.control;

import org.jspecify.annotations.NullMarked;
