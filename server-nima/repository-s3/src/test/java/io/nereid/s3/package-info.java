/** Tests of the S3 store against a stand-in of the protocol. */
@org.jspecify.annotations.NullMarked
package io.nereid.s3;
