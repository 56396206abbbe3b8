/**
 * The files of a folder that a command names: `node .claude/hooks/check.js`, `$CLAUDE_PROJECT_DIR/tools/x.sh`,
 * `python -m tools.check`. Whoever approves the command approves them as they are. What these files load is not known.
 */
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileVersion } from '../system/file-version.ts'

/** Words that are looked at. */
const MOST_WORDS = 500

/**
 * @param texts commands, arguments and paths
 * @returns absolute paths of files, without doubles
 */
export function namedScripts(folder: string, texts: readonly string[]): readonly string[] {
  const words = texts
    .map((text) => text.replace(/"?\$(?:\{CLAUDE_PROJECT_DIR\}|CLAUDE_PROJECT_DIR\b)"?/g, '.'))
    .flatMap((text) => [text, ...text.split(/[\s'"`=;|&<>()]+/)])
    .slice(0, MOST_WORDS)
  const paths = words.flatMap((path, index) => {
    if (words[index - 1] !== '-m') return [path]
    const module = path.replaceAll('.', '/')
    return [`${module}.py`, `${module}/__init__.py`, `${module}/__main__.py`]
  })
  const found = paths.flatMap((path) => {
    if (path === '' || path.length > 1000 || path.includes('\0')) return []
    const whole = resolve(folder, path)
    return isInside(folder, whole) && isFile(whole) ? [whole] : []
  })
  return [...new Set(found)]
}

/** A definition with the content of the scripts that its texts name, as the user approves it. */
export function withScripts<T extends object>(
  folder: string,
  definition: T,
): T & { readonly scripts?: Readonly<Record<string, string>> } {
  const scripts = namedScripts(folder, textsIn(definition)).map(
    (path) => [relative(folder, path), digestOf(path)] as const,
  )
  return scripts.length === 0 ? definition : { ...definition, scripts: Object.fromEntries(scripts) }
}

/** Changes when one of the scripts does, or when another file is named. */
export function scriptVersions(folder: string, definitions: readonly unknown[]): string {
  return namedScripts(folder, definitions.flatMap(textsIn))
    .map((path) => `${path} ${fileVersion(path)}`)
    .join('\n')
}

/** All texts in a value. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function digestOf(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return 'unreadable'
  }
}

const isInside = (folder: string, path: string): boolean => path.startsWith(join(folder, '/'))

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile()
  } catch {
    return false
  }
}
