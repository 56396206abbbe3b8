interface Tokens {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/** What was used before anything was. In a file of its own, so that the window needs no schemas to count. */
export const noUsage: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
