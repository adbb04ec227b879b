@NullMarked
package io.nereid.tools.data;

import org.jspecify.annotations.NullMarked;
