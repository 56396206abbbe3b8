/** The definitions of one folder and those below it. What can't be read is told and hides nothing else. */
import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { messageOf } from '../../../shared/result.ts'
import type { DefinitionProblem, LoadedDefinition } from '../../runtime/ports.ts'

export type DefinitionOrigin = Extract<LoadedDefinition['source'], 'built-in' | 'user' | 'project'>

export interface FoundDefinitions {
  readonly definitions: readonly LoadedDefinition[]
  readonly problems: readonly DefinitionProblem[]
}

/** What was read of each file, and of which state of it. */
export type KnownFiles = Map<string, { readonly version: string; readonly found: FoundDefinitions }>

const LARGEST_FILE = 1024 * 1024
/** Files of one folder beyond this are left out, and that is told. */
const MOST_FILES = 2000

/**
 * A folder that is not there has none. `within`: a real folder that the agents folder itself may not lead
 * out of by a link, as a repository could make it do.
 */
export async function readAgentFolder(
  folder: string,
  {
    source,
    known,
    within = null,
  }: { readonly source: DefinitionOrigin; readonly known: KnownFiles; readonly within?: string | null },
): Promise<FoundDefinitions> {
  try {
    const real = await realpath(folder)
    if (within !== null && !isBelow(within, real))
      return unread(folder, 'This agents folder is a link that leads out of the project, so it was not read.')
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = entries
      .filter((entry) => entry.name.endsWith('.md') && (entry.isFile() || entry.isSymbolicLink()))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
    const read = await Promise.all(
      paths.slice(0, MOST_FILES).map((path) => readFileHere(path, real, { source, known })),
    )
    const tooMany =
      paths.length > MOST_FILES
        ? [
            problem(
              folder,
              'error',
              `There are more than ${MOST_FILES} files here; the others were not read.`,
            ),
          ]
        : []
    const found = together(read)
    return { definitions: found.definitions, problems: [...found.problems, ...tooMany] }
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return { definitions: [], problems: [] }
    return unread(folder, `This folder could not be read: ${messageOf(thrown)}`)
  }
}

/** Definitions that are part of the program's own file. */
export async function readAgentTexts(
  texts: Readonly<Record<string, string>>,
  source: DefinitionOrigin,
): Promise<FoundDefinitions> {
  const names = Object.keys(texts).sort()
  return together(names.map((name) => readText(texts[name] ?? '', { path: name, source, file: null })))
}

async function readFileHere(
  path: string,
  realFolder: string,
  { source, known }: { readonly source: DefinitionOrigin; readonly known: KnownFiles },
): Promise<FoundDefinitions> {
  try {
    const real = await realpath(path)
    if (!isBelow(realFolder, real))
      return unread(path, 'It is a link that leads out of its folder, so it was not read.')
    return await readPlainFile(path, real, { source, known })
  } catch (thrown) {
    const why = thrown instanceof TypeError ? 'its bytes are not UTF-8' : messageOf(thrown)
    return unread(path, `It could not be read: ${why}`)
  }
}

/** Never waits: a pipe in place of a file has no end. A file that did not change is not taken apart again. */
async function readPlainFile(
  path: string,
  real: string,
  { source, known }: { readonly source: DefinitionOrigin; readonly known: KnownFiles },
): Promise<FoundDefinitions> {
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) return unread(path, 'It is not a plain file, so it was not read.')
    if (stats.size > LARGEST_FILE) return unread(path, 'It is larger than 1 MB, so it was not read.')
    const version = [source, real, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
    const before = known.get(path)
    if (before?.version === version) return before.found
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile())
    const found = readText(text, { path, source, file: path })
    known.set(path, { version, found })
    return found
  } finally {
    await handle.close()
  }
}

function readText(
  text: string,
  {
    path,
    source,
    file,
  }: { readonly path: string; readonly source: DefinitionOrigin; readonly file: string | null },
): FoundDefinitions {
  const { definition, offered, diagnostics } = readDefinition(text, {
    stem: basename(path, '.md'),
    source: `the ${source} agents`,
  })
  return {
    definitions: definition === null || !offered ? [] : [{ ...definition, source, file }],
    problems: diagnostics.map((one) => problem(path, one.severity, one.message, one.line)),
  }
}

/** All of one source; of two with the same name the first holds. */
function together(read: readonly FoundDefinitions[]): FoundDefinitions {
  const definitions = new Map<string, LoadedDefinition>()
  const problems = read.flatMap((one) => one.problems)
  for (const definition of read.flatMap((one) => one.definitions)) {
    const key = definition.name.toLowerCase()
    const first = definitions.get(key)
    if (first === undefined) definitions.set(key, definition)
    else
      problems.push(
        problem(
          definition.file ?? definition.name,
          'warning',
          `${first.file} has the same name and comes first.`,
        ),
      )
  }
  return { definitions: [...definitions.values()], problems }
}

function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`)
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

const unread = (path: string, message: string): FoundDefinitions => ({
  definitions: [],
  problems: [problem(path, 'error', message)],
})

const problem = (
  file: string,
  severity: DefinitionProblem['severity'],
  message: string,
  line: number | null = null,
): DefinitionProblem => ({ file, severity, message, line })
