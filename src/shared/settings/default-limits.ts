/** The default limits. In a separate file, so that the window shows them without loading schemas. */
export const defaultLimits = {
  maxParallelAgents: 10,
  maxAgents: 100,
  maxDepth: 3,
  agentTokens: 5_000_000,
  agentUsd: 5,
  agentMinutes: null,
  backgroundMinutes: 60,
  agentSpawns: 25,
  conversationTokens: 50_000_000,
  conversationUsd: 20,
  conversationMinutes: null,
} as const

/** A money limit of the settings. Nobody chose the default amount. */
export const moneyLimit = (usd: number | null, byDefault: number) =>
  usd === byDefault ? ({ usd, usdByDefault: true } as const) : { usd }
