/** The files that the recursive searches `grep -r` and `rg` show. */
import picomatch from 'picomatch'
import type { SearchedTree } from './command-effect.ts'
import type { ReadOptions } from './command-options.ts'

type Options = ReadOptions['options']

/** `grep -r` reads hidden and ignored files. */
export function grepTrees(options: Options, paths: readonly string[]): readonly SearchedTree[] {
  const recursive = options.some(
    ({ name, value }) =>
      name === 'r' || name === 'recursive' || (name === 'd' && value !== 'skip' && value !== 'read'),
  )
  if (!recursive) return []
  const shows = shownBy(options)
  return paths.map((path) => ({ path, hidden: true, ignored: true, filters: [], shows }))
}

/** Only plain patterns of names count. With both kinds, or another pattern, each file may be shown. */
function shownBy(options: Options): (path: string) => boolean {
  const given = (wanted: string) =>
    options.flatMap(({ name, value }) => (name === wanted ? [value ?? ''] : []))
  const [included, excluded, folders] = ['include', 'exclude', 'exclude-dir'].map(given)
  const filters = [...(included ?? []), ...(excluded ?? []), ...(folders ?? [])]
  const isMixed = (included?.length ?? 0) > 0 && (excluded?.length ?? 0) > 0
  if (isMixed || !filters.every((filter) => /^[\w.*{},-]+$/.test(filter))) return () => true
  const [isIncluded, isExcluded, inExcluded] = [included, excluded, folders].map((patterns) =>
    picomatch([...(patterns ?? [])], { dot: true, nobrace: true, noext: true, windows: false }),
  )
  return (path) => {
    const names = path.split('/')
    const name = names.pop() ?? ''
    if (names.some((folder) => inExcluded?.(folder))) return false
    return (included?.length ?? 0) > 0 ? isIncluded?.(name) === true : !isExcluded?.(name)
  }
}

/** Ignored and hidden files are searched with options only, or where a pattern or a type includes them. */
export function ripgrepTrees(options: Options, paths: readonly string[]): readonly SearchedTree[] {
  const has = (...names: readonly string[]) => options.some(({ name }) => names.includes(name))
  if (has('files', 'type-list', 'version')) return []
  const globs = options.filter(({ name }) => /^(g|glob|iglob)$/.test(name))
  // A pattern with a slash is relative to the shell's folder.
  const unclear = globs.some(({ value }) => value?.includes('/'))
  const unrestricted = options.filter(({ name }) => name === 'u' || name === 'unrestricted').length
  const filters = options.flatMap(({ name, value }) => {
    const option = FILTERS[name]
    return option === undefined || (unclear && /glob/.test(option)) ? [] : [`--${option}=${value}`]
  })
  const hidden = unclear || unrestricted > 1 || has('hidden', '.')
  const ignored = unclear || unrestricted > 0 || options.some(({ name }) => name.startsWith('no-ignore'))
  return paths.map((path) => ({ path, hidden, ignored, filters }))
}

const FILTERS: Readonly<Record<string, string>> = {
  g: 'glob',
  glob: 'glob',
  iglob: 'iglob',
  t: 'type',
  type: 'type',
  T: 'type-not',
  'type-not': 'type-not',
}
