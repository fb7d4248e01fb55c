// The view loads no program: the server that asks repairs the arguments, and sends them in its result.

/** Tells the repaired arguments to the card that waits for them. */
export let repaired = () => {};

export const repair = () => new Promise((resolve) => (repaired = resolve));
