/**
 * The digest of a plugin's content, which the user approves. It covers what was there at the approval and everything that
 * Troupe or the plugin's programs could load later, but not the caches and records that runs leave behind.
 */
import { createHash } from 'node:crypto'
import {
  type BigIntStats,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { extname, join } from 'node:path'
import { z } from 'zod'
import { messageOf, sentence } from '../../../shared/kernel/result.ts'
import { isBelow } from '../../platform/system/plain-text.ts'

const MOST_FILES = 5000
const MOST_BYTES = 50_000_000

type PluginDigest =
  | { readonly kind: 'digest'; readonly digest: string }
  /** `because` is a sentence. */
  | { readonly kind: 'none'; readonly because: string }

interface PluginDigests {
  /**
   * Reads file contents only after their metadata changed. Synchronous: the agent catalog asks at each load.
   *
   * @param approved the digest that the user approved: records that came since are left out. Null: there is none
   */
  of(folder: string, approved: string | null): PluginDigest
  /** Notes which files an approved digest covers. */
  approve(folder: string, approved: string | null, digest: string): void
}

interface ListedFile {
  readonly path: string
  readonly isLink: boolean
  readonly isProgram: boolean
  /** The real path of a file outside the plugin that the link leads to. Its content counts too. */
  readonly outside: string | null
  readonly version: string
}

/** @param store the folder for the lists of files of approved digests. A list can't add or hide content: the digest tells */
export function createPluginDigests(store: string): PluginDigests {
  const known = new Map<string, { readonly version: string; readonly found: PluginDigest }>()
  const covered = (folder: string, approved: string | null): readonly ListedFile[] | string => {
    const all = listFiles(folder)
    const before = approved === null ? null : readList(store, approved)
    if (typeof all === 'string' || before === null) return all
    const manifest = textOf(join(folder, '.claude-plugin', 'plugin.json'))
    return all.filter((file) => before.has(file.path) || !isRecord(file, manifest))
  }
  return {
    of(folder, approved) {
      try {
        const files = covered(folder, approved)
        if (typeof files === 'string') return { kind: 'none', because: files }
        const version = files.map((file) => `${file.path}\0${file.version}`).join('\n')
        const before = known.get(folder)
        if (before?.version === version) return before.found
        const found = { kind: 'digest', digest: digestOf(folder, files) } as const
        known.set(folder, { version, found })
        return found
      } catch (thrown) {
        return { kind: 'none', because: `The plugin ${folder} can't be read: ${sentence(messageOf(thrown))}` }
      }
    },
    approve(folder, approved, digest) {
      const files = covered(folder, approved)
      if (typeof files === 'string') return
      mkdirSync(store, { recursive: true })
      writeFileSync(join(store, `${digest}.json`), JSON.stringify(files.map(({ path }) => path)))
    },
  }
}

/** Null: there is no list. Then every file counts. */
function readList(store: string, digest: string): ReadonlySet<string> | null {
  if (!/^[0-9a-f]{64}$/.test(digest)) return null
  try {
    return new Set(z.array(z.string()).parse(JSON.parse(textOf(join(store, `${digest}.json`)))))
  } catch {
    return null
  }
}

/** In the order of their paths, without compiled Python. A text: why the plugin has no digest. */
function listFiles(root: string): readonly ListedFile[] | string {
  const files: ListedFile[] = []
  const realRoot = realpathSync(root)
  let bytes = 0
  const visit = (below: string): string | null => {
    const entries: Dirent[] = readdirSync(join(root, below), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) {
        const problem = visit(path)
        if (problem !== null) return problem
        continue
      }
      if (COMPILED.test(path)) continue
      const stats = lstatSync(join(root, path), { bigint: true })
      if (!stats.isFile() && !stats.isSymbolicLink()) return `${root} contains ${path}, which is not a file.`
      const outside = stats.isSymbolicLink() ? outsideOf(realRoot, join(root, path)) : null
      const behind = outside === null ? stats : statSync(outside, { bigint: true })
      if (!behind.isFile() && behind !== stats)
        return `${root} contains ${path}, a link to something outside the plugin that is not a file.`
      bytes += Number(behind.size)
      if (files.length >= MOST_FILES || bytes > MOST_BYTES)
        return `The plugin ${root} has more than ${MOST_FILES} files or 50 MB.`
      const version = [stats, behind].map(versionOf).join(' ')
      const isProgram = (Number(stats.mode) & 0o111) !== 0
      files.push({ path, isLink: stats.isSymbolicLink(), isProgram, outside, version })
    }
    return null
  }
  return visit('') ?? files
}

const versionOf = ({ ino, ctimeNs, mtimeNs, size, mode }: BigIntStats): string =>
  `${ino}-${ctimeNs}-${mtimeNs}-${size}-${mode}`

/** Where a link leads to, if that is outside the plugin; null also if it leads nowhere. */
function outsideOf(realRoot: string, link: string): string | null {
  try {
    const target = realpathSync(link)
    return isBelow(realRoot, target) || target === realRoot ? null : target
  } catch {
    return null
  }
}

/** Python makes these again at any time. */
const COMPILED = /(?:^|\/)__pycache__\/[^/]+\.py[co]$/
/** What test runners and linters leave behind. */
const CACHE = /(?:^|\/)(?:\.pytest_cache|\.mypy_cache|\.ruff_cache|\.cache)\//
const CODE = /\.(?:py|[cm]?[jt]sx?|sh|bash|zsh|fish|rb|pl|php|lua|so|dll|dylib|node|wasm|ps1|bat|cmd)$/i

/** Whether a file that came after the approval only records something: nothing loads it. */
function isRecord({ path, isLink, isProgram }: ListedFile, manifest: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (isLink || isProgram || LOADED.test(name) || LOADED_FOLDER.test(path)) return false
  if (manifest.includes(name)) return false
  return RECORDS.has(extname(name).toLowerCase()) || (CACHE.test(path) && !CODE.test(name))
}

const RECORDS = new Set([
  ...['.log', '.json', '.jsonl', '.ndjson', '.txt', '.csv', '.tsv', '.out', '.err', '.pid', '.lock', '.tmp'],
  ...['.bak', '.state', '.db', '.db-wal', '.db-shm', '.db-journal', '.sqlite', '.sqlite3', '.pyc'],
])
/** Files that Troupe, npm or pip read by their names. */
const LOADED =
  /^(?:hooks|plugin|marketplace|monitors|package|package-lock|settings(?:\.local)?|tsconfig.*|deno|composer|\.?mcp|\.?lsp)\.json$|^requirements.*\.txt$/i
const LOADED_FOLDER =
  /(?:^|\/)(?:\.git|\.claude|\.claude-plugin|agents|commands|output-styles|node_modules|\.venv|venv)\//

function digestOf(root: string, files: readonly ListedFile[]): string {
  const hash = createHash('sha256')
  for (const { path, isLink, outside } of files) {
    const content = isLink ? Buffer.from(readlinkSync(join(root, path))) : readFileSync(join(root, path))
    hash.update(`${isLink ? 'link' : 'file'} ${content.length} ${JSON.stringify(path)}\n`).update(content)
    if (outside === null) continue
    const behind = readFileSync(outside)
    hash.update(`outside ${behind.length}\n`).update(behind)
  }
  return hash.digest('hex')
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
