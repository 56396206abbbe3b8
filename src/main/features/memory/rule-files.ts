/** Rules: the markdown files in `.claude/rules`, for all files or, with `paths:`, for those that match. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import picomatch from 'picomatch'
import { parseYaml } from '../../../shared/agent-definition/recover-yaml.ts'
import { splitFrontmatter } from '../../../shared/agent-definition/split-frontmatter.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import type { ProjectFolders } from './memory-folders.ts'
import type { InstructionStart } from './read-instructions.ts'

export interface RuleFile extends InstructionStart {
  /** The folder that `paths` are relative to. */
  readonly base: string
  /** Null: the rule holds for all files. */
  readonly paths: readonly string[] | null
}

const MOST_RULES = 500
const DEEPEST = 5

/** The user's rules, then those of the project, the farthest folder first. */
export async function findRules(
  project: ProjectFolders,
  { home, trusted }: { readonly home: string; readonly trusted: boolean },
): Promise<readonly RuleFile[]> {
  const places = [
    { folder: home, base: project.top, scope: 'user' as const, inside: null },
    ...(trusted ? project.folders : [])
      // The home folder may be a project itself.
      .filter((folder) => folder !== home)
      .map((folder) => ({ folder, base: folder, scope: 'project' as const, inside: project.top })),
  ]
  const found = await Promise.all(
    places.map(async ({ folder, ...place }) => {
      const files = await markdownIn(join(folder, '.claude', 'rules'))
      return Promise.all(
        files.map(async (path) => ({ ...place, path, isRule: true as const, paths: await pathsOf(path) })),
      )
    }),
  )
  return found.flat()
}

/** Whether the rule holds for this file. Absolute, with links resolved. */
export function ruleApplies({ paths, base }: RuleFile, file: string): boolean {
  if (paths === null || !isBelow(base, file)) return false
  const below = relative(base, file).split(sep).join('/')
  return paths.some((pattern) => matcherOf(pattern)(below))
}

/** As in other programs, `*.ts` and `src` mean these names in the base folder, and `src/` all below it. */
function matcherOf(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^\.?\//, '')
  return picomatch(plain.endsWith('/') ? `${plain}**` : plain, { dot: true })
}

const known = new Map<string, { readonly version: string; readonly paths: readonly string[] | null }>()

async function pathsOf(file: string): Promise<readonly string[] | null> {
  try {
    const { mtimeMs, size, ino } = await stat(file)
    const version = `${ino}-${mtimeMs}-${size}`
    const before = known.get(file)
    if (before?.version === version) return before.paths
    const paths = pathsIn(await readFile(file, 'utf8'))
    known.set(file, { version, paths })
    return paths
  } catch {
    // Where the file is read, the reason is reported.
    return null
  }
}

/** A list, or a text with commas between. `*.ts` without quotes is no YAML, and common. */
export function pathsIn(text: string): readonly string[] | null {
  const split = splitFrontmatter(text)
  if (split.kind !== 'split') return null
  const quoted = split.yaml.text.replace(
    /^(\s*-\s+|paths:[ \t]+|globs:[ \t]+)(?!["'[])(\S.*?)[ \t]*\r?$/gm,
    (_, key: string, value: string) => `${key}${JSON.stringify(value)}`,
  )
  const read = parseYaml(quoted)
  const values: unknown = read.kind === 'parsed' ? read.parsed.values : null
  const field: unknown =
    typeof values === 'object' && values !== null
      ? 'paths' in values
        ? values.paths
        : 'globs' in values
          ? values.globs
          : null
      : null
  const list = (Array.isArray(field) ? field : typeof field === 'string' ? splitPatterns(field) : [])
    .filter((one) => typeof one === 'string')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return list.length === 0 ? null : list
}

/** At commas outside of braces: `src/*.{ts,tsx}, test/**`. */
const splitPatterns = (text: string): readonly string[] => text.match(/(?:[^,{]|\{[^}]*\}?)+/g) ?? []

async function markdownIn(top: string): Promise<readonly string[]> {
  const files: string[] = []
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of entries.toSorted((one, two) => (one.name < two.name ? -1 : 1))) {
      if (files.length >= MOST_RULES) return
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (depth < DEEPEST && !entry.name.startsWith('.')) await walk(path, depth + 1)
      } else if (/\.md$/i.test(entry.name)) files.push(path)
    }
  }
  await walk(top, 0)
  return files
}
