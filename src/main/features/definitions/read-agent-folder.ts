/** Reads the definitions of one folder and its subfolders. An unreadable file is a diagnostic and hides no other file. */
import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { AgentSource, NotUtf8 } from '../../../shared/agent-definition/agent-catalog.ts'
import type { Diagnostic, ReadDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { fileVersionOf } from '../../platform/system/file-stat.ts'
import { isBelow, type PlainFile, readPlainFile } from '../../platform/system/plain-text.ts'
import type { AgentFolder } from './agent-folders.ts'
import { decodeNotUtf8 } from './definition-encoding.ts'

/** One file, an agent or not. */
export interface FoundAgent {
  /** The file's path, or another id without a file. */
  readonly id: string
  readonly source: AgentSource
  readonly plugin: string | null
  readonly file: string | null
  /** The path below the folder, with `/`. */
  readonly path: string
  /** The agent's name. */
  readonly name: string
  readonly read: ReadDefinition
  /** The whole text of a project's file. */
  readonly text?: string
  /** Set if the definition is not in use until the user approves it. */
  readonly waits?: WaitingDefinition
}

/** Why a definition waits for the user. */
export interface WaitingDefinition {
  /** The text that the user approved; null: the definition is new. */
  readonly former: string | null
  /** What it may and the approved text might not, as short phrases. Of a new definition: only a program that it starts. */
  readonly gained: readonly string[]
}

/** A file before it is read. */
type Origin = Pick<FoundAgent, 'id' | 'source' | 'plugin' | 'file' | 'path'>

/** The definition of each file, and the version of the file. */
export type KnownFiles = Map<string, { readonly version: string; readonly found: FoundAgent }>

export interface FoundAgents {
  readonly agents: readonly FoundAgent[]
  /** Problems of whole folders, as messages. */
  readonly problems: readonly string[]
}

/** Maximum files of one folder. More files are left out with a problem. */
const MOST_FILES = 10_000
/** Maximum levels of folders below an agents folder, as in the watch. */
const DEEPEST_FOLDER = 12
const AT_ONCE = 32

/** In the order of paths. Empty if the folder does not exist. */
export async function readAgentFolder(folder: AgentFolder, known: KnownFiles): Promise<FoundAgents> {
  try {
    const real = await realpath(folder.path)
    if (folder.within !== null && real !== folder.within && !isBelow(folder.within, real))
      return failed(`${folder.path} is a link that leads out of ${folder.within}, so it was not read.`)
    if ((await stat(real)).isFile()) {
      const location = { ...folder, path: dirname(folder.path), real: dirname(real) }
      return { agents: [await readAgentFile(folder.path, location, known)], problems: [] }
    }
    const { entries, problems } = await entriesBelow(real)
    const paths = entries
      .filter((entry) => entry.name.endsWith('.md') && !entry.isDirectory())
      .map((entry) => join(folder.path, relative(real, join(entry.parentPath, entry.name))))
      .sort()
    const taken = paths.slice(0, MOST_FILES)
    const agents = await inBatches(taken, (path) => readAgentFile(path, { ...folder, real }, known))
    const left = paths.length - taken.length
    const linked = entries.filter((entry) => entry.isSymbolicLink() && !entry.name.endsWith('.md'))
    return {
      agents,
      problems: [
        ...problems,
        ...(left > 0 ? [`${folder.path} has more than ${MOST_FILES} files; ${left} were not read.`] : []),
        ...(await linkedFolders(linked.map((entry) => join(entry.parentPath, entry.name)))),
      ],
    }
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { agents: [], problems: [] }
    return failed(`${folder.path} could not be read: ${messageOf(thrown)}`)
  }
}

/** All entries below a folder. A subfolder that is too deep or not readable is a problem and hides no other. */
async function entriesBelow(
  root: string,
): Promise<{ readonly entries: readonly Dirent[]; readonly problems: readonly string[] }> {
  const entries: Dirent[] = []
  const problems: string[] = []
  let level: readonly string[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    const next: string[] = []
    await inBatches(level, async (path) => {
      try {
        for (const entry of await readdir(path, { withFileTypes: true })) {
          entries.push(entry)
          if (entry.isDirectory()) next.push(join(path, entry.name))
        }
      } catch (thrown) {
        if (path === root) throw thrown
        problems.push(`${shortened(path)} could not be read, so its agents are left out: ${reasonOf(thrown)}`)
      }
    })
    if (depth === DEEPEST_FOLDER && next.length > 0) {
      const others = next.length === 1 ? '' : ` and ${next.length - 1} more`
      problems.push(
        `${shortened(next.sort()[0] ?? '')}${others}: folders more than ${DEEPEST_FOLDER} levels deep are not read.`,
      )
      break
    }
    level = next
  }
  return { entries, problems }
}

const shortened = (path: string): string => (path.length > 300 ? `${path.slice(0, 300)}…` : path)

/** Without the path, which may be long. */
const reasonOf = (thrown: unknown): string => codeOf(thrown) ?? messageOf(thrown)

/** Links to folders are not followed: they may lead anywhere, and in circles. */
async function linkedFolders(links: readonly string[]): Promise<readonly string[]> {
  const problems = await inBatches(links, async (path) => {
    const isFolder = await stat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    )
    return isFolder ? [`${path} is a link to a folder, so its files were not read.`] : []
  })
  return problems.flat()
}

/** An unchanged file is not parsed again. */
async function readAgentFile(
  path: string,
  folder: AgentFolder & { readonly real: string },
  known: KnownFiles,
): Promise<FoundAgent> {
  const version = `${folder.source} ${folder.plugin} ${await fileVersionOf(path)}`
  const before = known.get(path)
  if (before?.version === version) return before.found
  const below = relative(folder.path, path).split(sep).join('/')
  const file = await readPlainFile(path, folder.real)
  const origin = { id: path, source: folder.source, plugin: folder.plugin, file: path, path: below }
  const decoded = decodedFile(file)
  const found =
    decoded !== null
      ? unreadAgent({ code: 'not-utf8', ...notUtf8Text(decoded.notUtf8) }, origin)
      : file.kind === 'text'
        ? agentOf(file.text, origin)
        : unreadAgent(file, origin)
  // A failed read may succeed next time, even if the file is unchanged.
  if (file.kind === 'text' || file.code !== 'unreadable') known.set(path, { version, found })
  return found
}

/** The text of a file that is not UTF-8; null: it is, or it has no text. UTF-16 without a mark is valid UTF-8 with NULs. */
export function decodedFile(file: PlainFile) {
  if (file.kind === 'unread') return file.bytes === undefined ? null : decodeNotUtf8(file.bytes)
  return file.text.includes('\0') ? decodeNotUtf8(new TextEncoder().encode(file.text)) : null
}

const notUtf8Text = ({ encoding, line }: NotUtf8) => ({
  line,
  message: `The file is ${encoding}, not UTF-8, so it is not used. Open it in the Agents view to save it as UTF-8.`,
})

/** The definition in a text from any source. */
export function agentOf(text: string, origin: Origin): FoundAgent {
  const stem = stemOf(origin.path)
  const read = readDefinition(text, { stem, source: SOURCE_WORDS[origin.source] })
  const name = calledName(read.definition?.name ?? plainStem(stem), origin)
  return { ...origin, name, read, ...(origin.source === 'project' && { text }) }
}

export function unreadAgent(
  { code, message, line = 1 }: Pick<Diagnostic, 'code' | 'message'> & { readonly line?: number },
  origin: Origin,
): FoundAgent {
  const diagnostic: Diagnostic = {
    code,
    severity: 'error',
    line,
    column: 1,
    from: 0,
    to: 0,
    message,
    fixes: [],
  }
  const read = { definition: null, offered: false, recovered: [], diagnostics: [diagnostic] }
  return { ...origin, name: calledName(plainStem(stemOf(origin.path)), origin), read }
}

/** The names of a plugin's agents start with the plugin's name and the names of their folders. */
function calledName(name: string, { plugin, path }: Pick<FoundAgent, 'plugin' | 'path'>): string {
  return plugin === null ? name : [plugin, ...path.split('/').slice(0, -1), name].join(':')
}

const stemOf = (path: string): string => basename(path, '.md')
/** `reviewer.agent.md` has the stem `reviewer`. */
const plainStem = (stem: string): string => stem.replace(/\.agent$/, '')

const SOURCE_WORDS: Readonly<Record<AgentSource, string>> = {
  'built-in': 'the program',
  plugin: 'a plugin',
  user: 'the user',
  project: 'the project',
  'command-line': 'the command line',
  managed: 'the administrator',
}

async function inBatches<I, O>(items: readonly I[], work: (item: I) => Promise<O>): Promise<readonly O[]> {
  const done: O[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    done.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))))
  return done
}

const failed = (problem: string): FoundAgents => ({ agents: [], problems: [problem] })
