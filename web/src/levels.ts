// The levels of a ratio: a contender whose processes have two speeds has two ratios, each for its
// share of the processes.

export interface Level {
    ratio: number;
    forks: number;
}

/** Reads `0.951:5 1.049:6`. Fewer than two levels are none. */
export function levels(written: string | undefined): Level[] {
    const found = (written ?? '')
        .split(' ')
        .map((word) => word.split(':').map(Number))
        .flatMap(([ratio = NaN, forks = NaN]) =>
            ratio > 0 && forks > 0 ? [{ ratio, forks }] : [],
        );
    return found.length > 1 ? found.sort((a, b) => a.ratio - b.ratio) : [];
}

/** A level's share of the processes: `5/11`. */
export function share(level: Level, all: Level[]): string {
    return `${level.forks}/${all.reduce((sum, { forks }) => sum + forks, 0)}`;
}
