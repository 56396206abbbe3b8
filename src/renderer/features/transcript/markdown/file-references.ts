/** Finds `path:line` in text from a model or a tool, so that the user can open the file. */

export interface FileReference {
  readonly path: string
  readonly line: number | null
}

interface FoundReference extends FileReference {
  /** The range in the text, as [start, end). */
  readonly start: number
  readonly end: number
}

/**
 * A path and a line, as in the output of compilers. The known file endings exclude hosts with a port, and times. The
 * bounds keep the search fast in hostile text.
 */
const REFERENCE =
  /(?<![\w.@+~/\\:%-])((?:[A-Za-z]:(?=[\\/]))?[\w.@+~/\\-]{1,300}):(\d{1,7})(?::\d{1,5})?(?![\w:])/g

const KNOWN_ENDINGS =
  /\.(?:[cm]?[jt]sx?|json[c5]?|py|pyi|rb|rs|go|java|kts?|swift|c|cc|cpp|h|hpp|cs|fs|php|lua|sh|bash|zsh|fish|ps1|sql|html?|css|s[ac]ss|less|vue|svelte|astro|mdx?|rst|txt|ya?ml|toml|ini|cfg|conf|env|lock|xml|proto|graphql|prisma|tf|gradle|ex|exs|erl|hs|ml|scala|clj|dart|zig|nim|r|jl|pl|snap|patch|diff|log)$/i
const KNOWN_NAMES = /(?:^|[\\/])(?:Makefile|Dockerfile|Gemfile|Rakefile|Justfile|CMakeLists\.txt)$/

/** All references in a text, in order. */
export function findFileReferences(text: string): readonly FoundReference[] {
  if (!text.includes(':')) return []
  const found: FoundReference[] = []
  for (const match of text.matchAll(REFERENCE)) {
    const path = match[1] ?? ''
    if (!looksLikeFile(path)) continue
    found.push({
      path,
      line: Number(match[2]),
      start: match.index,
      end: match.index + match[0].length,
    })
  }
  return found
}

/** A link target that is a file of the folder: `src/a.ts`, `./src/a.ts:12`, `src/a.ts#L12`; null otherwise. */
export function fileOfLink(target: string): FileReference | null {
  if (/^[a-z][a-z0-9+.-]+:(?!\d)/i.test(target) && !/^[A-Za-z]:[\\/]/.test(target)) return null
  if (target.startsWith('//') || target.startsWith('\\\\') || target.startsWith('#')) return null
  const match = /^(.*?)(?::(\d{1,7})(?::\d+)?|#L(\d{1,7})(?:-L?\d+)?)?$/.exec(target)
  const path = decoded(match?.[1] ?? '')
  if (path === null || path.includes('\0') || !looksLikeFile(path)) return null
  const line = match?.[2] ?? match?.[3]
  return { path, line: line === undefined ? null : Number(line) }
}

function looksLikeFile(path: string): boolean {
  return KNOWN_ENDINGS.test(path) || KNOWN_NAMES.test(path)
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
