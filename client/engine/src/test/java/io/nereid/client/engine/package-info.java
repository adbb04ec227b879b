@NullMarked
package io.nereid.client.engine;

import org.jspecify.annotations.NullMarked;
