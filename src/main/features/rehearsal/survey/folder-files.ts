/** Facts from file names: language, whether a file is a test, and its depth. */

/** A value for Grep's `glob` that excludes generated files. */
export const HAND_WRITTEN = '!*.min.*,!*.map,!*.lock,!*-lock.*'

const LANGUAGES: Readonly<Record<string, string>> = {
  'ts mts cts tsx': 'TypeScript',
  'js mjs cjs jsx': 'JavaScript',
  'py pyi': 'Python',
  rs: 'Rust',
  go: 'Go',
  java: 'Java',
  'kt kts': 'Kotlin',
  swift: 'Swift',
  'c h': 'C',
  'cc cpp cxx hpp hh': 'C++',
  cs: 'C#',
  'fs fsx': 'F#',
  rb: 'Ruby',
  php: 'PHP',
  'ex exs': 'Elixir',
  'erl hrl': 'Erlang',
  hs: 'Haskell',
  'ml mli': 'OCaml',
  scala: 'Scala',
  'clj cljs cljc': 'Clojure',
  dart: 'Dart',
  lua: 'Lua',
  'pl pm': 'Perl',
  r: 'R',
  jl: 'Julia',
  zig: 'Zig',
  nim: 'Nim',
  vue: 'Vue',
  svelte: 'Svelte',
  astro: 'Astro',
  'sh bash zsh fish': 'shell scripts',
  ps1: 'PowerShell',
  sql: 'SQL',
  'html htm': 'HTML',
  'css scss sass less': 'style sheets',
  'md mdx rst txt adoc': 'text',
  'json json5 jsonc': 'JSON',
  'yml yaml': 'YAML',
  toml: 'TOML',
  tf: 'Terraform',
  proto: 'Protocol Buffers',
  'graphql gql': 'GraphQL',
}

const LANGUAGE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGES).flatMap(([endings, name]) =>
    endings.split(' ').map((ending) => [ending, name] as const),
  ),
)

const NOT_CODE = new Set(['text', 'JSON', 'YAML', 'TOML', 'HTML', 'style sheets'])

export function endingOf(path: string): string {
  return /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** Null for an unknown extension. */
export function languageOf(path: string): string | null {
  return LANGUAGE_OF.get(endingOf(path)) ?? null
}

export function isCode(path: string): boolean {
  const language = languageOf(path)
  return language !== null && !NOT_CODE.has(language)
}

export function isTest(path: string): boolean {
  return (
    /(^|\/)(tests?|specs?|__tests__|e2e|testing)\//i.test(path) ||
    /[._-](test|spec)s?\.[^/]+$|(^|\/)test_[^/]+$/i.test(path)
  )
}

/** Examples, copies and generated files, which are seldom relevant. */
export function isAside(path: string): boolean {
  return /(^|\/)(node_modules|vendor|third[_-]party|dist|build|out|target|coverage|fixtures?|examples?|samples?|docs?|\.[^/]+)\//i.test(
    path,
  )
}

/** Generated files. */
export function isMade(path: string): boolean {
  return /\.min\.|\.(?:map|lock|snap|svg|ipynb|sum)$|-lock\.|(^|\/)npm-shrinkwrap\.json$/.test(path)
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function depthOf(path: string): number {
  return path.split('/').length - 1
}

/** Sorted by depth, then by name. */
export function byDepth(a: string, b: string): number {
  return depthOf(a) - depthOf(b) || (a < b ? -1 : a > b ? 1 : 0)
}

/** Counts each value, most frequent first. */
export function tally<Value>(values: Iterable<Value>): readonly (readonly [Value, number])[] {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}
