/**
 * Follows the links that rules name. If `secrets` is a link to `private`, a rule that denies `secrets/**` denies
 * `private/**` too. Only for rules that deny or ask: a link must not widen what is allowed.
 */
import { resolvePath } from '../paths/paths.ts'
import type { RealPath } from './locate-path.ts'
import { covers, escapeGlob, type PermissionRule } from './permission-rule.ts'

/** The rules, and one more for each that names a link. */
export async function withLinkTargets(
  rules: readonly PermissionRule[],
  { root, realPath }: { readonly root: string; readonly realPath: RealPath },
): Promise<readonly PermissionRule[]> {
  const found = await Promise.all(
    rules.map(async (rule) => {
      const target = rule.pattern === null ? null : await targetOf(rule, rule.pattern)
      return target === null ? [rule] : [rule, { ...rule, pattern: target }]
    }),
  )
  return found.flat()

  async function targetOf(rule: PermissionRule, pattern: string): Promise<string | null> {
    if (covers(rule, 'command') || !TARGETS.some((target) => covers(rule, target))) return null
    const { known, rest } = knownStart(pattern)
    if (known === '') return null
    const isAbsolute = pattern.startsWith('//')
    const named = isAbsolute ? resolvePath('/', known) : resolvePath(root, known)
    const [real, top] = await Promise.all([realPath(named), realPath(isAbsolute ? '/' : root)])
    if (!real.ok || !top.ok) return null
    const expected = isAbsolute ? named : resolvePath(top.value, known)
    return real.value === expected ? null : `/${escapeGlob(real.value)}${rest}`
  }
}

const TARGETS = ['read', 'search', 'write'] as const

/** The names before the first one with a wildcard, and what follows them with its slash. */
function knownStart(pattern: string): { readonly known: string; readonly rest: string } {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.')
  const wild = names.findIndex((name) => /(?<!\\)[*?[{]/.test(name))
  const count = wild < 0 ? names.length : wild
  const known = names.slice(0, count).join('/').replace(/\\(.)/g, '$1')
  return {
    known,
    rest: names
      .slice(count)
      .map((name) => `/${name}`)
      .join(''),
  }
}
