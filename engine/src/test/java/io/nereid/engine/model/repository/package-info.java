/** Tests of model repositories, most of them on file systems in memory. */
@NullMarked
package io.nereid.engine.model.repository;

import org.jspecify.annotations.NullMarked;
