/** What may be spent where nothing else is said. In a file of its own, so that the window needs no schemas to tell. */
export const defaultLimits = {
  maxParallelAgents: 10,
  maxAgents: 100,
  maxDepth: 1,
  agentTokens: 5_000_000,
  agentUsd: 5,
  agentMinutes: null,
  backgroundMinutes: 60,
  agentSpawns: 25,
  conversationTokens: 50_000_000,
  conversationUsd: 20,
  conversationMinutes: null,
} as const

/** A money limit of the settings. The default amount is nobody's choice. */
export const moneyLimit = (usd: number | null, byDefault: number) =>
  usd === byDefault ? ({ usd, usdByDefault: true } as const) : { usd }
