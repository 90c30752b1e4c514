// The words of a reply if its status is not ok.

/** A reply whose status is not ok. */
export class Refused extends Error {
    constructor(status, reason, remedy) {
        super(reason);
        this.status = status;
        this.remedy = remedy;
    }
}

export const failed = (reason) => new Refused('failed', reason);
export const unsupported = (reason) => new Refused('unsupported', reason);

/** How Node.js reports an algorithm that OpenSSL refuses, with the codes of both. */
const REFUSALS = [
    'ERR_OSSL_EVP_UNSUPPORTED',
    'ERR_CRYPTO_UNKNOWN_CIPHER',
    'ERR_CRYPTO_INVALID_DIGEST',
];
const REFUSED = /^error:0308010C:|^Digest method (.* is )?not supported$/;

/**
 * Tries an algorithm once, before a contender answers anything. One that OpenSSL refuses, as it
 * does in FIPS mode, is missing. Other errors are left to the calls, which make them again.
 */
export async function tryOpenSSL(primitive, attempt) {
    try {
        await attempt();
    } catch (error) {
        // Web Crypto has OpenSSL's error as its cause.
        const refusal = error.cause ?? error;
        if (!REFUSALS.includes(refusal.code) && !REFUSED.test(refusal.message)) return;
        throw new Refused(
            'missing',
            `the OpenSSL of this Node.js refuses ${primitive}: ${refusal.message}`,
            'leave FIPS mode, or take a Node.js whose OpenSSL has it',
        );
    }
}

/** The input of `open` is not authentic. */
export class NotAuthentic extends Error {
    constructor() {
        super('not authentic');
    }
}
