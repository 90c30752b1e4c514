/**
 * AES-256-GCM with one interface, computed by an available provider: see {@link
 * dev.cupel.aead.Aead}.
 */
package dev.cupel.aead;
