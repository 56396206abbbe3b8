/** The options between `git` and its command, which can select another folder or repository. */
import type { ShellWord } from './shell-syntax.ts'

interface GitOptions {
  /** Null if unknown or missing. */
  readonly verb: string | null
  /** The words after the verb. */
  readonly words: readonly ShellWord[]
  /** The values of `-C` in order, each relative to the one before; null if unknown. */
  readonly folders: readonly (string | null)[]
  /** The values of `--git-dir` and `--work-tree`. */
  readonly locations: readonly (string | null)[]
  /** An option that an agent in a worktree may not use, as written. */
  readonly refused: string | null
  /** The verb may become any word. */
  readonly unclear: boolean
}

const HARMLESS: ReadonlySet<string> = new Set(
  (
    '-p --paginate -P --no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice ' +
    '--literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path ' +
    '--exec-path --version -v --help -h'
  ).split(' '),
)

/** Settings that redirect git, hide its effects, or select the branches that a fetch or push moves. */
const REFUSED_SETTINGS =
  /^(alias|include|includeif|extensions|remote|url|submodule)\.|^core\.(worktree|bare|hookspath|repositoryformatversion|alternaterefscommand|gitproxy)$|^(gc|maintenance)\.|^push\.default$/i

export function gitOptions(words: readonly ShellWord[]): GitOptions {
  const folders: (string | null)[] = []
  const locations: (string | null)[] = []
  let refused: string | null = null
  let at = 0
  const done = (verb: string | null, unclear: boolean): GitOptions => ({
    verb,
    words: words.slice(at + 1),
    folders,
    locations,
    refused,
    unclear,
  })
  for (; at < words.length; at++) {
    const value = words[at]?.value ?? null
    if (value === null) return done(null, true)
    if (!value.startsWith('-')) return done(value, false)
    const [name = '', ...carried] = value.split('=')
    const next = () => (carried.length > 0 ? carried.join('=') : (words[++at]?.value ?? null))
    if (value === '-C') folders.push(next())
    else if (name === '--git-dir' || name === '--work-tree') locations.push(next())
    else if (value === '-c' || name === '--config-env') {
      const setting = carried.length > 0 ? carried.join('=') : (words[++at]?.start ?? '')
      if (!setting.includes('=') || REFUSED_SETTINGS.test(setting.split('=')[0] ?? ''))
        refused ??= `${name} ${setting}`
    } else if (name === '--attr-source') next()
    else if (!HARMLESS.has(value)) refused ??= value
  }
  return done(null, false)
}
