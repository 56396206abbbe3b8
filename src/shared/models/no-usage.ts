interface Tokens {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/** The usage before the first turn. In a separate file, so that the window counts without loading schemas. */
export const noUsage: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
