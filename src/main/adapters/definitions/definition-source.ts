/**
 * Agent definitions from their folders: built in, the user's, the project's. A later source wins over an
 * earlier one of the same name; one bad file never hides another.
 */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { messageOf } from '../../../shared/result.ts'
import type { DefinitionProblem, DefinitionSource, LoadedDefinition } from '../../runtime/ports.ts'

const LARGEST_FILE = 1024 * 1024

type Source = Extract<LoadedDefinition['source'], 'built-in' | 'user' | 'project'>

interface Found {
  readonly definitions: readonly LoadedDefinition[]
  readonly problems: readonly DefinitionProblem[]
}

export function createDefinitionSource(options: {
  /** The program's own `agents/`. */
  readonly builtIn: string
  readonly home: string
}): DefinitionSource {
  const builtIn = once(() => readFolder(options.builtIn, 'built-in'))
  return {
    load: async (folder, { trusted }) => {
      const projectFolders = trusted ? await projectAgentFolders(folder, options.home) : []
      const sources = await Promise.all([
        builtIn(),
        readFolder(join(options.home, '.claude', 'agents'), 'user'),
        // The nearest folder is read last, and so wins.
        ...projectFolders.map((path) => readFolder(path, 'project')),
      ])
      const byName = new Map<string, LoadedDefinition>()
      for (const { definitions } of sources)
        for (const definition of definitions) byName.set(definition.name.toLowerCase(), definition)
      return {
        definitions: [...byName.values()],
        problems: sources.flatMap((source) => source.problems),
      }
    },
  }
}

/** `.claude/agents` of the folder and of those above it up to the repository's root, the root's first. */
async function projectAgentFolders(folder: string, home: string): Promise<readonly string[]> {
  const folders: string[] = []
  for (let here = resolve(folder); ; here = dirname(here)) {
    // The home folder's agents are the user's, not a project's.
    if (here !== resolve(home)) folders.unshift(join(here, '.claude', 'agents'))
    const isRoot = await stat(join(here, '.git')).then(
      () => true,
      () => false,
    )
    if (isRoot) return folders
    // Without a repository only the folder itself counts.
    if (dirname(here) === here) return folders.slice(-1)
  }
}

async function readFolder(folder: string, source: Source): Promise<Found> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.name.endsWith('.md') && !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const read = await Promise.all(paths.map((path) => readOne(path, folder, source)))
  const definitions: LoadedDefinition[] = []
  const problems: DefinitionProblem[] = read.flatMap((one) => one.problems)
  for (const definition of read.flatMap((one) => one.definitions)) {
    const other = definitions.find((known) => known.name.toLowerCase() === definition.name.toLowerCase())
    if (other)
      problems.push(
        problem(definition.file ?? folder, 'warning', `${other.file} has the same name and comes first.`),
      )
    else definitions.push(definition)
  }
  return { definitions, problems }
}

async function readOne(path: string, folder: string, source: Source): Promise<Found> {
  try {
    const [real, realFolder] = await Promise.all([realpath(path), realpath(folder)])
    if (!real.startsWith(realFolder + sep))
      return unread(path, 'It is a link that leads out of its folder, so it was not read.')
    if ((await stat(real)).size > LARGEST_FILE)
      return unread(path, 'It is larger than 1 MB, so it was not read.')
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(real))
    const stem = basename(path, '.md')
    const { definition, diagnostics } = readDefinition(text, { stem, source: `the ${source} agents` })
    return {
      definitions: definition === null ? [] : [{ ...definition, source, file: path }],
      problems: diagnostics.map((one) => problem(path, one.severity, one.message, one.line)),
    }
  } catch (thrown) {
    const why = thrown instanceof TypeError ? 'its bytes are not UTF-8' : messageOf(thrown)
    return unread(path, `It could not be read: ${why}`)
  }
}

const unread = (path: string, message: string): Found => ({
  definitions: [],
  problems: [problem(path, 'error', message)],
})

const problem = (
  file: string,
  severity: DefinitionProblem['severity'],
  message: string,
  line: number | null = null,
): DefinitionProblem => ({ file, severity, message, line })

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}
