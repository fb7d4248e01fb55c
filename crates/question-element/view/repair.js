// The view loads nothing: the server that asks repairs the arguments, and its result has them.

/** Tells the repaired arguments to the card that waits for them. */
export let repaired = () => {};

export const repair = () => new Promise((resolve) => (repaired = resolve));
