/** Tests of loading models and of loaded models. */
@NullMarked
package io.nereid.server.model;

import org.jspecify.annotations.NullMarked;
