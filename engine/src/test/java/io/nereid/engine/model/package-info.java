/** Tests of loading models and of loaded models. */
@NullMarked
package io.nereid.engine.model;

import org.jspecify.annotations.NullMarked;
