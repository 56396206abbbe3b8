/** "840", "3.2k", "38k", "1.24M". */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens))
  if (tokens < 9_950) return `${trimZero((tokens / 1000).toFixed(1))}k`
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`
  return `${trimZero((tokens / 1_000_000).toFixed(2))}M`
}

const trimZero = (text: string): string => text.replace(/\.?0+$/, '')
