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

/** The input of `open` is not authentic. */
export class NotAuthentic extends Error {
    constructor() {
        super('not authentic');
    }
}
