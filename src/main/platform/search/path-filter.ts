/**
 * Path filters for globs. ripgrep's own `--glob` also searches ignored files that it matches, and `**` matches
 * everything, so it is not used to choose files.
 */
import picomatch from 'picomatch'

/** Takes a path with slashes, relative to the searched folder. */
export type PathFilter = (path: string) => boolean

/**
 * A filter of one or more globs, separated by commas or spaces. `!` before a glob excludes its matches. A glob without
 * a slash matches file names at any depth, as in grep.
 */
export function nameFilter(globs: string): PathFilter {
  const all = splitGlobs(globs)
  const wanted = all.filter((glob) => !glob.startsWith('!')).map(matcherOf)
  const unwanted = all.filter((glob) => glob.startsWith('!')).map((glob) => matcherOf(glob.slice(1)))
  return (path) =>
    (wanted.length === 0 || wanted.some((matches) => matches(path))) &&
    !unwanted.some((matches) => matches(path))
}

/** A filter of a single glob for the whole path. */
export function pathFilter(glob: string): PathFilter {
  const matches = picomatch(glob, { dot: true, strictBrackets: false })
  return (path) => matches(path)
}

/**
 * Globs for file names that match at least the files of the filter, so that ripgrep skips other files early; null:
 * there are none.
 */
export function namesFor(globs: string): readonly string[] | null {
  const wanted = splitGlobs(globs).filter((glob) => !glob.startsWith('!'))
  const names = wanted.map((glob) => glob.split('/').at(-1) ?? '')
  // Only syntax that both programs share. A brace that was split is not.
  const isPlain = (name: string, index: number) =>
    /^[\w.*?-]*(?:\{[\w.*?,-]+\}[\w.*?-]*)?$/.test(name) &&
    /[^*]/.test(name) &&
    !/[{}]/.test((wanted[index] ?? '').slice(0, -name.length))
  return names.length > 0 && names.every(isPlain) ? names : null
}

function matcherOf(glob: string): PathFilter {
  const below = glob.endsWith('/') ? `${glob}**` : glob
  const plain = below.replace(/^\.?\//, '')
  return pathFilter(plain.includes('/') ? plain : `**/${plain}`)
}

/** Splits at commas and spaces outside braces. */
function splitGlobs(globs: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const character of globs) {
    if (character === '{') depth++
    if (character === '}') depth--
    if (depth <= 0 && /[\s,]/.test(character)) {
      parts.push(part)
      part = ''
    } else part += character
  }
  return [...parts, part].filter((glob) => glob !== '' && glob !== '!')
}
