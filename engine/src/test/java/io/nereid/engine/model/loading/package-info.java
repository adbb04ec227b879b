/** Tests of loading models and of loaded models. */
@NullMarked
package io.nereid.engine.model.loading;

import org.jspecify.annotations.NullMarked;
