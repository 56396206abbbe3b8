/**
 * The files of a folder that a command names: `node .claude/hooks/check.js`, `$CLAUDE_PROJECT_DIR/tools/x.sh`,
 * `python -m tools.check`. Whoever approves the command approves them as they are. What these files load is not known.
 */
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileVersion } from '../system/file-version.ts'
import type { Approvable, Approval, Approvals } from './approvals.ts'

/** Words that are looked at. */
const MOST_WORDS = 500

/** What is tried where a word names no file: interpreters add these. */
const ADDED = ['', '.js', '.mjs', '.cjs', '.ts', '.py', '/index.js'] as const

/**
 * Also files that a script of `package.json` names, which `npm run` starts.
 * @param texts commands, arguments and paths
 * @returns absolute paths of files, links resolved, without doubles
 */
export function namedScripts(folder: string, texts: readonly string[]): readonly string[] {
  return filesIn(folder, [...texts, ...Object.values(packageScripts(folder, texts))]).map(({ real }) => real)
}

interface NamedFile {
  /** As named, absolute. */
  readonly path: string
  readonly real: string
}

function filesIn(folder: string, texts: readonly string[]): readonly NamedFile[] {
  const words = texts
    .map((text) => text.replace(WRITTEN, ' '))
    .map((text) => text.replace(/"?\$(?:\{CLAUDE_PROJECT_DIR\}|CLAUDE_PROJECT_DIR\b)"?/g, '.'))
    .flatMap((text) => [text, ...text.split(SEPARATORS)])
    .slice(0, MOST_WORDS)
  const paths = words.flatMap((path, index) => {
    if (words[index - 1] !== '-m') return [path]
    const module = path.replaceAll('.', '/')
    return [`${module}.py`, `${module}/__init__.py`, `${module}/__main__.py`]
  })
  // A command may change to a folder that it names, or a server may start in one.
  const bases = [
    ...new Set([folder, ...words.flatMap((path) => realInside(folder, folder, path, 'folder') ?? [])]),
  ]
  const found = new Map<string, NamedFile>()
  for (const base of bases.slice(0, MOST_BASES))
    for (const path of new Set(paths)) {
      const whole = ADDED.map((end) => `${path}${end}`).find((name) => realInside(folder, base, name, 'file'))
      const real = whole === undefined ? null : realInside(folder, base, whole, 'file')
      if (whole !== undefined && real !== null && !found.has(real))
        found.set(real, { path: resolve(base, whole), real })
    }
  return [...found.values()]
}

const MOST_BASES = 20
/** What a command writes its output to, which it does not run: a log would change at each run. */
const WRITTEN = /(?:&?\d*>{1,2}[|&]?\s*|\btee\s+(?:-\S+\s+)*)("[^"]*"|'[^']*'|[^\s'";|&<>()]+)/g
const SEPARATORS = /[\s'"`=;|&<>()]+/

/** The scripts of `package.json` that commands start with `npm run` and its like, by name. */
function packageScripts(folder: string, texts: readonly string[]): Readonly<Record<string, string>> {
  const words = texts.flatMap((text) => text.split(SEPARATORS))
  const managers = words.flatMap((word, index) => (/^(npm|pnpm|yarn|bun)$/.test(word) ? [index] : []))
  if (managers.length === 0) return {}
  const named = new Set(managers.flatMap((index) => words.slice(index + 1, index + 8)))
  try {
    const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly scripts?: Readonly<Record<string, unknown>>
    }
    return Object.fromEntries(
      Object.entries(scripts).flatMap(([name, text]) =>
        typeof text === 'string' && named.has(name.replace(/^(pre|post)/, '')) ? [[name, text]] : [],
      ),
    )
  } catch {
    return {}
  }
}

/** A definition with the content of the scripts that its texts name, as the user approves it. */
export function withScripts<T extends object>(
  folder: string,
  definition: T,
): T & { readonly scripts?: Readonly<Record<string, string>> } {
  const texts = textsIn(definition)
  const started = Object.entries(packageScripts(folder, texts))
  const scripts = [
    ...filesIn(folder, [...texts, ...started.map(([, text]) => text)]).map(
      ({ path, real }) => [relative(folder, path), digestOf(real)] as const,
    ),
    ...started.map(([name, text]) => [`package.json: ${name}`, text] as const),
  ]
  return scripts.length === 0 ? definition : { ...definition, scripts: Object.fromEntries(scripts) }
}

/** Changes when one of the scripts does, or when another file is named. */
export function scriptVersions(folder: string, definitions: readonly unknown[]): string {
  const texts = definitions.flatMap(textsIn)
  const started = Object.entries(packageScripts(folder, texts))
  const files = namedScripts(folder, texts).map((path) => `${path} ${fileVersion(path)}`)
  return [...files, ...started.flat()].join('\n')
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

/** The real path that a word leads to from a folder, if it stays in the project and is of this kind. */
function realInside(project: string, base: string, word: string, kind: 'file' | 'folder'): string | null {
  if (word === '' || word.length > 1000 || word.includes('\0')) return null
  const whole = resolve(base, word)
  if (!isInside(project, whole)) return null
  try {
    const stats = statSync(whole, { throwIfNoEntry: false })
    const isKind = kind === 'file' ? stats?.isFile() : stats?.isDirectory()
    if (isKind !== true) return null
    const real = realpathSync.native(whole)
    return isInside(realpathSync.native(project), real) ? real : null
  } catch {
    return null
  }
}

const isInside = (folder: string, path: string): boolean => path.startsWith(join(folder, '/'))

/**
 * The approval of what the user configured for all folders, which needs none. The scripts of the folder that it names are
 * approved as they are at first; once one of them has changed, it waits.
 */
export async function approvalOfOwn(
  approvals: Pick<Approvals, 'of' | 'decide'>,
  folder: string,
  thing: Approvable,
): Promise<Approval> {
  const found = await approvals.of(folder, thing)
  if (found.state === 'approved' || found.state === 'refused') return found
  if (found.state === 'changed' && scriptsIn(found.former) !== scriptsIn(thing.definition)) return found
  await approvals.decide(folder, thing, 'approved')
  return { state: 'approved' }
}

const scriptsIn = (definition: unknown): string =>
  typeof definition === 'object' && definition !== null && 'scripts' in definition
    ? JSON.stringify(definition.scripts)
    : ''
