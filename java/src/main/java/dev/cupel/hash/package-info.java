/** SipHash, SHA-256 and HMAC-SHA-256 in pure Java. Repeated calls allocate nothing. */
package dev.cupel.hash;
