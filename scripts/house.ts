/**
 * `node scripts/house.ts [FOLDER]`: figures of the structure of the sources in FOLDER (default: this checkout), beside the
 * limit that `house.test.ts` holds them to and the goal. Limits go down; see decision 124. Markdown on standard output.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** The modules of `src` without tests, with what they import from each other. */
export interface House {
  readonly modules: ReadonlyMap<string, Module>
}

interface Module {
  readonly lines: number
  /** Paths of modules, and names of packages. Types only, or loaded when needed: not in `values`. */
  readonly values: ReadonlySet<string>
  readonly all: ReadonlySet<string>
  readonly exported: readonly string[]
  /** Variables that live as long as the module, which nobody ends. */
  readonly variables: number
  /** Uses of the machine's time and of its random numbers. */
  readonly machine: number
}

export interface Figure {
  readonly name: string
  readonly value: number
  readonly limit: number
  readonly goal: number
}

const CRUMB_LINES = 60
const LONG_FILE = 400
const FULL_FOLDER = 40

/** What the checks hold, and what the structure shall come to. The median shall rise to its goal. */
const LIMITS: Readonly<Record<string, readonly [limit: number, goal: number]>> = {
  'files without tests': [1737, 1350],
  lines: [241090, 155_000],
  'median of lines a file': [117, 95],
  [`files of over ${LONG_FILE} lines`]: [0, 0],
  [`folders of over ${FULL_FOLDER} files`]: [0, 0],
  [`files under ${CRUMB_LINES} lines with one importer`]: [3, 0],
  'names exported twice': [16, 60],
  'files that import the assembly of the runtime': [1, 5],
  'files with zod in the first chunk of the window': [0, 0],
  'floors from cli.ts to shared': [11, 8],
  'variables of modules in the window': [0, 0],
  'uses of the real clock and of random ids below the roots': [0, 0],
}

/** Reads the modules of a checkout. @param root absolute */
export function readHouse(root: string): House {
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => join('src', path))
    .filter((path) => /\.tsx?$/.test(path) && !/\.(test|d)\.tsx?$|\/testing\//.test(path))
  const known = new Set(paths)
  return { modules: new Map(paths.map((path) => [path, readModule(root, path, known)])) }
}

/** Measures a house. */
export function measure({ modules }: House): readonly Figure[] {
  const all = [...modules]
  const importers = new Map<string, number>()
  for (const [, { all: imported }] of all)
    for (const path of imported) importers.set(path, (importers.get(path) ?? 0) + 1)
  const lines = all.map(([, module]) => module.lines).sort((one, other) => one - other)
  const folders = group(all, ([path]) => dirname(path))
  const names = group(
    all.flatMap(([, { exported }]) => exported),
    (name) => name,
  )
  const values: Readonly<Record<string, number>> = {
    'files without tests': all.length,
    lines: sum(lines),
    'median of lines a file': lines[lines.length >> 1] ?? 0,
    [`files of over ${LONG_FILE} lines`]: lines.filter((count) => count > LONG_FILE).length,
    [`folders of over ${FULL_FOLDER} files`]: [...folders.values()].filter(
      (files) => files.length > FULL_FOLDER,
    ).length,
    [`files under ${CRUMB_LINES} lines with one importer`]: crumbs({ modules }).length,
    'names exported twice': [...names.values()].filter((places) => places.length > 1).length,
    'files that import the assembly of the runtime': importers.get('src/main/runtime/assemble.ts') ?? 0,
    'files with zod in the first chunk of the window': [
      ...reached(modules, 'src/renderer/main.tsx', 'values'),
    ].filter((path) => modules.get(path)?.values.has('zod')).length,
    'floors from cli.ts to shared': floors(modules, 'src/main/cli.ts'),
    'variables of modules in the window': sum(
      all.map(([path, { variables }]) => (path.startsWith('src/renderer/') ? variables : 0)),
    ),
    'uses of the real clock and of random ids below the roots': sum(
      all.map(([path, { machine }]) => (MACHINE.test(path) ? 0 : machine)),
    ),
  }
  return Object.entries(values).map(([name, value]) => {
    const [limit = 0, goal = 0] = LIMITS[name] ?? []
    return { name, value, limit, goal }
  })
}

/** The roots of the program, and the files that give the machine's time and ids to all others. */
const MACHINE =
  /^src\/(main\/(index|cli)|main\/platform\/system\/(machine-time|random-names)|renderer\/ui\/machine)\.ts$/

/** Files of a noun that its folder has by rule, and those of a tool, however short: who looks for them knows their names. */
const NAMED_BY_RULE = /\/(feature|verbs|contract)\.ts$|^src\/main\/runtime\/tools\/\w+\/[\w-]+\.ts$/

/** Files that are too short to live alone, with their only importer. */
export function crumbs({ modules }: House): readonly { readonly path: string; readonly importer: string }[] {
  const importers = new Map<string, string[]>()
  for (const [path, { all }] of modules)
    for (const imported of all) importers.set(imported, [...(importers.get(imported) ?? []), path])
  return [...modules]
    .sort(([one], [other]) => one.localeCompare(other))
    .flatMap(([path, { lines }]) => {
      const [importer, ...others] = importers.get(path) ?? []
      return lines < CRUMB_LINES && !NAMED_BY_RULE.test(path) && importer !== undefined && others.length === 0
        ? [{ path, importer }]
        : []
    })
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)

function group<T>(list: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

/** All modules that a module reaches, itself included. */
function reached(
  modules: ReadonlyMap<string, Module>,
  start: string,
  kind: 'values' | 'all',
): ReadonlySet<string> {
  const found = new Set([start])
  for (const path of found)
    for (const next of modules.get(path)?.[kind] ?? []) if (modules.has(next)) found.add(next)
  return found
}

/** The most folders in a row, one importing the next, from a file to `src/shared`. Folders in a circle count as one. */
function floors(modules: ReadonlyMap<string, Module>, start: string): number {
  const folderOf = (path: string) => (path.startsWith('src/shared') ? 'src/shared' : dirname(path))
  const next = new Map<string, Set<string>>()
  for (const path of reached(modules, start, 'all'))
    for (const other of modules.get(path)?.all ?? [])
      if (modules.has(other) && folderOf(other) !== folderOf(path))
        next.set(folderOf(path), (next.get(folderOf(path)) ?? new Set()).add(folderOf(other)))
  const heights = new Map<string, number>()
  const height = (folder: string, above: readonly string[]): number => {
    const known = heights.get(folder)
    if (known !== undefined) return known
    if (above.includes(folder)) return 0
    const below = [...(next.get(folder) ?? [])].map((other) => height(other, [...above, folder]))
    const value = 1 + Math.max(0, ...below)
    heights.set(folder, value)
    return value
  }
  return height(folderOf(start), [])
}

const IMPORT =
  /^[ \t]*(?:import|export)\s+(type\s+)?(?:([\w*\s{},$]+?)\s+from\s+)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/gm
const EXPORT =
  /^export\s+(?:async\s+)?(?:function\*?|const|let|class|interface|type|enum|abstract class)\s+(\w+)/gm

const VARIABLE = /^(?:export )?let /gm
const OF_MACHINE =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|\b(?:randomUUID|randomBytes|randomInt)\(/g

function readModule(root: string, path: string, known: ReadonlySet<string>): Module {
  const text = readFileSync(join(root, path), 'utf8')
  const values = new Set<string>()
  const all = new Set<string>()
  for (const [, type, names = '', from, loaded] of text.matchAll(IMPORT)) {
    const target = modulePath(path, from ?? loaded ?? '', known)
    all.add(target)
    if (type === undefined && from !== undefined && !areTypes(names)) values.add(target)
  }
  const exported = [...text.matchAll(EXPORT)].map(([, name = '']) => name)
  return {
    lines: text.split('\n').length - 1,
    ...{ values, all, exported: [...new Set(exported)] },
    variables: [...text.matchAll(VARIABLE)].length,
    machine: [...text.matchAll(OF_MACHINE)].length,
  }
}

/** Whether an import takes types only: `{ type A, type B }`. */
function areTypes(names: string): boolean {
  const [, before = '', inner] = /^([^{]*)\{([^}]*)\}/.exec(names) ?? []
  if (inner === undefined || before.trim() !== '') return false
  const each = inner
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return each.length > 0 && each.every((name) => name.startsWith('type '))
}

function modulePath(from: string, specifier: string, known: ReadonlySet<string>): string {
  if (!specifier.startsWith('.')) return specifier
  const path = relative('.', resolve(dirname(from), specifier))
  return [path, `${path}.ts`, `${path}.tsx`].find((one) => known.has(one)) ?? path
}

/** A table in Markdown. */
export function printFigures(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, limit, goal }) => `| ${name} | ${value} | ${limit} | ${goal} |`)
  return `${['| figure | value | limit | goal |', '| --- | ---: | ---: | ---: |', ...rows].join('\n')}\n`
}

if (import.meta.main)
  process.stdout.write(
    printFigures(measure(readHouse(resolve(process.argv[2] ?? join(import.meta.dirname, '..'))))),
  )
