/** The number of agents in a comparison. Not beside the schemas, which the window does not load. */
export const FEWEST_ATTEMPTS = 2
export const MOST_ATTEMPTS = 8
