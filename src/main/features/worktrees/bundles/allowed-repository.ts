/** The repositories that a worker's policy allows. */
import type { JobRepository } from '../../../../shared/workers/worker-protocol.ts'

/**
 * Whether one of the patterns names the repository: the hash of its first commit, or its address without scheme, user
 * and `.git`, as in `github.com/acme/*`. A `*` stands for any text. The sender of a job states both, so this keeps
 * repositories apart and does not replace the check of who sent the job.
 */
export function isAllowed(
  { id, url }: Pick<JobRepository, 'id' | 'url'>,
  patterns: readonly string[],
): boolean {
  const address = url === null ? null : plainAddress(url)
  return patterns.some((pattern) => {
    if (pattern === '*' || pattern === id) return true
    const wanted = plainAddress(pattern)
    return address !== null && wanted !== null && matches(address, wanted)
  })
}

/** `git@github.com:acme/tools.git` and `https://github.com/acme/tools` → `github.com/acme/tools`; null: it leads elsewhere. */
function plainAddress(address: string): string | null {
  const withoutScheme = address.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const isUrl = withoutScheme !== address.trim()
  const withoutUser = withoutScheme.replace(/^[^/@]*@/, '')
  const joined = isUrl ? withoutUser : withoutUser.replace(/^([^/:]+):/, '$1/')
  const [host = '', ...path] = joined.split('/').filter((part) => part !== '')
  if (path.some((part) => part === '..' || part === '.' || /%2e/i.test(part))) return null
  return [host.toLowerCase(), ...path].join('/').replace(/\.git$/, '')
}

/** Compares without a regular expression: no pattern takes longer than others. */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
