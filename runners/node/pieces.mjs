// Messages in chunks, for contenders that keep a state.

/** Updates a state with a message in chunks of these lengths, over and over; none for one piece. */
export function pieces(state, message, chunks) {
    if (chunks.length === 0) {
        state.update(message);
        return state;
    }
    for (let at = 0, i = 0; at < message.length; i++) {
        const end = at + chunks[i % chunks.length];
        state.update(message.subarray(at, end));
        at = end;
    }
    return state;
}
