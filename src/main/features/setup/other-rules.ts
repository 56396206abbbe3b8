/** The rules of other programs, read and written anew as rules of `.claude/rules`. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, posix, relative, sep } from 'node:path'
import { splitFrontmatter } from '../../../shared/agent-definition/split-frontmatter.ts'
import { exists } from '../../platform/system/exists.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import { importsIn } from '../memory/find-imports.ts'
import { pathsIn } from '../memory/rule-files.ts'

/** `program`: the folder in `.claude/rules` that its rules go to. */
const PLACES = [
  { what: 'Cursor, rules', program: 'cursor', path: '.cursor/rules', at: 'folder' },
  { what: 'Cursor, rules', program: 'cursor', path: '.cursorrules', at: 'folder' },
  { what: 'Windsurf, rules', program: 'windsurf', path: '.windsurf/rules', at: 'folder' },
  { what: 'Windsurf, rules', program: 'windsurf', path: '.windsurfrules', at: 'folder' },
  {
    what: 'Windsurf, rules',
    program: 'windsurf',
    path: '.codeium/windsurf/memories/global_rules.md',
    at: 'home',
  },
  { what: 'Cline, rules', program: 'cline', path: '.clinerules', at: 'folder' },
  { what: 'VS Code, rules', program: 'copilot', path: '.github/copilot-instructions.md', at: 'folder' },
  { what: 'VS Code, rules', program: 'copilot', path: '.github/instructions', at: 'folder' },
  { what: 'Gemini CLI, memory', program: 'gemini', path: 'GEMINI.md', at: 'folder' },
  { what: 'Gemini CLI, memory', program: 'gemini', path: '.gemini/GEMINI.md', at: 'home' },
  { what: 'Codex, memory', program: 'codex', path: '.codex/AGENTS.md', at: 'home' },
] as const

const MOST_FILES = 200
/** Bytes. Instructions are not longer. */
const LARGEST_FILE = 256 * 1024

export interface OtherRule {
  /** Absolute: the file of the other program. */
  readonly from: string
  /** Absolute: the file that an import writes. */
  readonly file: string
  /** What an import writes. */
  readonly text: string
  /** Null: the rule holds for every file. */
  readonly paths: readonly string[] | null
  /** Why it can't be imported, as a sentence; null: it can. */
  readonly problem: string | null
}

interface OtherRules {
  /** `Cursor, rules` */
  readonly what: string
  /** Absolute; a file or a folder. */
  readonly file: string
  readonly rules: readonly OtherRule[]
}

/** Finds the rules of other programs. Nothing of an untrusted folder is read. */
export async function findOtherRules({
  home,
  folder,
  trusted,
}: {
  readonly home: string
  readonly folder: string
  readonly trusted: boolean
}): Promise<readonly OtherRules[]> {
  const found = await Promise.all(
    PLACES.map(async ({ what, program, path, at }): Promise<readonly OtherRules[]> => {
      if (at === 'folder' && (!trusted || folder === home)) return []
      const base = at === 'home' ? home : folder
      const file = join(base, path)
      const rules: OtherRule[] = []
      for (const name of await filesAt(file)) {
        const from = name === '' ? file : join(file, name)
        const target = (name || posix.basename(path)).split(sep).join('/')
        const rule = await ruleOf(from, {
          base,
          file: join(base, '.claude', 'rules', program, targetName(target)),
        })
        const isTaken = rules.some((other) => other.file === rule.file)
        rules.push(isTaken ? { ...rule, problem: `${from} is left out: another file has its name.` } : rule)
      }
      return rules.length === 0 ? [] : [{ what, file, rules }]
    }),
  )
  return found.flat()
}

/** `['']` for a file; the names in a folder, in order. */
async function filesAt(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => null)
  if (found === null) return []
  if (!found.isDirectory()) return ['']
  const names = await readdir(path, { recursive: true }).catch(() => [])
  return names
    .filter((name) => /\.(mdc?|txt)$/i.test(name))
    .sort()
    .slice(0, MOST_FILES)
}

/** `style.mdc` → `style.md`, `.cursorrules` → `cursorrules.md`, `api.instructions.md` → `api.md` */
const targetName = (path: string): string =>
  `${path.replace(/^\./, '').replace(/(\.instructions)?\.(mdc?|txt)$/i, '')}.md`

async function ruleOf(
  from: string,
  { base, file }: { readonly base: string; readonly file: string },
): Promise<OtherRule> {
  const no = (problem: string): OtherRule => ({ from, file, text: '', paths: null, problem })
  const real = await realpath(from).catch(() => null)
  const realBase = await realpath(base).catch(() => base)
  if (real === null || !isBelow(realBase, real))
    return no(`${from} is left out: it is a link that leads elsewhere.`)
  const size = (await stat(real)).size
  if (size > LARGEST_FILE)
    return no(`${from} is left out: it has ${Math.ceil(size / 1024)} KB, and at most 256 KB are imported.`)
  const text = await readFile(real, 'utf8').catch(() => null)
  if (text === null) return no(`${from} is left out: it can't be read.`)
  const split = splitFrontmatter(text)
  const fields = split.kind === 'split' ? split.yaml.text : ''
  const body = (split.kind === 'split' ? split.body.text : text).trim()
  if (body === '') return no(`${from} is left out: it is empty.`)
  const paths = pathsOf(fields)
  if (paths === null && isOnRequest(fields))
    return no(
      `${from} is left out: it holds only on request there. Make it a skill, so that agents load it when they need it.`,
    )
  const head =
    paths === null ? '' : `---\npaths:\n${paths.map((one) => `  - ${JSON.stringify(one)}\n`).join('')}---\n\n`
  const moved = await withImportsFrom(body, { from: dirname(from), to: dirname(file), base })
  return { from, file, text: `${head}${moved}\n`, paths, problem: null }
}

const ALL = new Set(['**', '**/*', '*'])

/** The patterns of `globs`, `applyTo` or `paths`; null: the rule is for every file. */
function pathsOf(fields: string): readonly string[] | null {
  if (/^(alwaysApply:\s*true|trigger:\s*always_on)\s*$/m.test(fields)) return null
  const named = fields.replace(/^(globs|applyTo):/m, 'paths:')
  const paths = pathsIn(`---\n${named}\n---\n`)?.map((one) => one.replace(/^(["'])(.*)\1$/, '$2'))
  return paths === undefined || paths.some((one) => ALL.has(one)) ? null : paths
}

/** Cursor and Windsurf have rules that the model or the user asks for by name. */
const isOnRequest = (fields: string): boolean =>
  /^(alwaysApply:\s*false|trigger:\s*(manual|model_decision))\s*$/m.test(fields)

/** The text whose relative imports, `@docs/style.md`, lead to the same files from another folder. */
async function withImportsFrom(
  text: string,
  { from, to, base }: { readonly from: string; readonly to: string; readonly base: string },
): Promise<string> {
  let moved = text
  for (const readings of importsIn(text)) {
    for (const path of readings.filter((one) => !/^[/~]/.test(one))) {
      const found = [join(from, path), join(base, path)]
      const isThere = await Promise.all(found.map(exists))
      const target = found[isThere.indexOf(true)]
      if (target === undefined) continue
      moved = moved.replaceAll(`@${path}`, () => `@${relative(to, target).split(sep).join('/')}`)
      break
    }
  }
  return moved
}
