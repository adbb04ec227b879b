/** Tests of loading models and of loaded models. */
@NullMarked
package io.nereid.engine.model.control;

import org.jspecify.annotations.NullMarked;
