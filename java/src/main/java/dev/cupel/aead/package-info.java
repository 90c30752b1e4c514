/**
 * AES-256-GCM behind one interface, computed by whichever provider is there: see {@link
 * dev.cupel.aead.Aead}.
 */
package dev.cupel.aead;
