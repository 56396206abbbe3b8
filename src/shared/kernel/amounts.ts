/** Amounts as text. */

/** "1 line", "2,310 lines". */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${withCommas(number)} ${number === 1 ? one : many}`
}

/** "812 bytes", "24 KB", "3.1 MB". */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return countOf(bytes, 'byte')
  for (const [unit, size] of UNITS) if (bytes >= size) return `${rounded(bytes / size)} ${unit}`
  return countOf(bytes, 'byte')
}

/** "85 ms", "3.2 s", "2 min", "2 min 5 s". */
export function durationOf(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${rounded(ms / 1000)} s`
  const seconds = Math.round(ms / 1000)
  const rest = seconds % 60 === 0 ? '' : ` ${seconds % 60} s`
  return `${Math.floor(seconds / 60)} min${rest}`
}

/** "0:07", "2:41", "1:02:09". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const [hours = 0, minutes = 0, rest = 0] = parts
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** "$0.03", "$0.0042" below a cent, "$12.40". */
export function formatMoney(usd: number): string {
  if (usd > 0 && usd < 0.01) return `$${usd.toFixed(4)}`
  return `$${usd.toFixed(2)}`
}

/** A sum of costs, some of which may be unknown. An unknown cost is never $0. */
export function moneyText(usd: number, counted: boolean): string {
  if (counted) return formatMoney(usd)
  return usd === 0 ? 'unknown' : `at least ${formatMoney(usd)}`
}

/** "line 12", "lines 3, 8 and 12", "lines 1, 2, 3 and 37 more". */
export function linesAt(lines: readonly number[]): string {
  if (lines.length === 1) return `line ${lines[0]}`
  if (lines.length > 10) return `lines ${lines.slice(0, 10).join(', ')} and ${lines.length - 10} more`
  return `lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`
}

/** "2,310", "1,204.5". */
export function withCommas(number: number): string {
  const [whole = '', ...fraction] = String(number).split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.')
}

const UNITS = [
  ['GB', 1024 ** 3],
  ['MB', 1024 ** 2],
  ['KB', 1024],
] as const

/** One decimal below ten, unless it is zero. */
function rounded(number: number): string {
  return number < 10 ? number.toFixed(1).replace(/\.0$/, '') : String(Math.round(number))
}

/** "840", "3.2k", "38k", "1.24M". */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens))
  if (tokens < 9_950) return `${trimZero((tokens / 1000).toFixed(1))}k`
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`
  return `${trimZero((tokens / 1_000_000).toFixed(2))}M`
}

const trimZero = (text: string): string => text.replace(/\.?0+$/, '')
