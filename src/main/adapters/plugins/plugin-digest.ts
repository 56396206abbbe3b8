/** The digest of a plugin's content, which the user approves. */
import { createHash } from 'node:crypto'
import {
  type BigIntStats,
  type Dirent,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../../shared/result.ts'
import { isBelow } from '../system/plain-text.ts'

const MOST_FILES = 5000
const MOST_BYTES = 50_000_000

export type PluginDigest =
  | { readonly kind: 'digest'; readonly digest: string }
  /** `because` is a sentence. */
  | { readonly kind: 'none'; readonly because: string }

interface ListedFile {
  readonly path: string
  readonly isLink: boolean
  /** The real path of a file outside the plugin that the link leads to. Its content counts too. */
  readonly outside: string | null
  readonly version: string
}

/** Reads file contents only after their metadata changed. Synchronous: the agent catalog asks at each load. */
export function createPluginDigests(): (folder: string) => PluginDigest {
  const known = new Map<string, { readonly version: string; readonly found: PluginDigest }>()
  return (folder) => {
    try {
      const files = listFiles(folder)
      if (typeof files === 'string') return { kind: 'none', because: files }
      const version = files.map((file) => `${file.path}\0${file.version}`).join('\n')
      const before = known.get(folder)
      if (before?.version === version) return before.found
      const found = { kind: 'digest', digest: digestOf(folder, files) } as const
      known.set(folder, { version, found })
      return found
    } catch (thrown) {
      return { kind: 'none', because: `The plugin ${folder} can't be read: ${messageOf(thrown)}.` }
    }
  }
}

/** In the order of their paths. A text: why the plugin has no digest. */
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
      files.push({ path, isLink: stats.isSymbolicLink(), outside, version })
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
