/** The names of the highlighted languages. Their grammars are in `grammars.ts`, for the worker only. */

const NAMES: ReadonlySet<string> = new Set([
  'typescript',
  'tsx',
  'javascript',
  'jsx',
  'json',
  'python',
  'rust',
  'go',
  'java',
  'kotlin',
  'swift',
  'c',
  'cpp',
  'csharp',
  'ruby',
  'php',
  'shellscript',
  'sql',
  'html',
  'css',
  'scss',
  'yaml',
  'toml',
  'xml',
  'markdown',
  'docker',
  'make',
  'graphql',
  'diff',
])

const OTHER_NAMES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsonc: 'json',
  json5: 'json',
  py: 'python',
  rs: 'rust',
  golang: 'go',
  kt: 'kotlin',
  'c++': 'cpp',
  cc: 'cpp',
  h: 'c',
  hpp: 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  rb: 'ruby',
  sh: 'shellscript',
  bash: 'shellscript',
  zsh: 'shellscript',
  shell: 'shellscript',
  console: 'shellscript',
  yml: 'yaml',
  svg: 'xml',
  md: 'markdown',
  dockerfile: 'docker',
  makefile: 'make',
  gql: 'graphql',
  patch: 'diff',
}

/** The name of a language by the word after a fence; null for unknown languages. */
export function languageOf(written: string): string | null {
  const name = written.toLowerCase()
  const known = OTHER_NAMES[name] ?? name
  return NAMES.has(known) ? known : null
}

/** The language of a file, by its extension or name; null for unknown languages. */
export function languageOfFile(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return languageOf(name) ?? languageOf(name.slice(name.lastIndexOf('.') + 1))
}
