/**
 * SipHash, SHA-256 and HMAC-SHA-256 in Java alone, without an allocation in the calls that repeat.
 */
package dev.cupel.hash;
