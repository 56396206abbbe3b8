/**
 * Agent definitions from their folders: built in, the user's, the project's. A later source wins over an
 * earlier one of the same name; one bad file never hides another. Files are looked at each time, so a
 * change is seen at the next start of an agent.
 */
import { realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { DefinitionSource, LoadedDefinition } from '../../runtime/ports.ts'
import {
  type FoundDefinitions,
  type KnownFiles,
  readAgentFolder,
  readAgentTexts,
} from './read-agent-folder.ts'

/** Where the program's own agents are: a folder, or their texts by file name (`Explore.md`). */
export type BuiltInAgents = string | Readonly<Record<string, string>>

export function createDefinitionSource(options: {
  readonly builtIn: BuiltInAgents
  readonly home: string
}): DefinitionSource {
  const known: KnownFiles = new Map()
  const builtIn = once(() =>
    typeof options.builtIn === 'string'
      ? readAgentFolder(options.builtIn, { source: 'built-in', known })
      : readAgentTexts(options.builtIn, 'built-in'),
  )
  return {
    load: async (folder, { trusted }) => {
      const project = trusted ? await projectFolders(folder, options.home) : null
      const sources = await Promise.all([
        builtIn(),
        readAgentFolder(join(options.home, '.claude', 'agents'), { source: 'user', known }),
        // The nearest folder is read last, and so wins.
        ...(project?.folders ?? []).map((path) =>
          readAgentFolder(join(path, '.claude', 'agents'), {
            source: 'project',
            known,
            within: project?.root ?? path,
          }),
        ),
      ])
      return merge(sources)
    },
  }
}

/** The later one of a name holds, case ignored. */
function merge(sources: readonly FoundDefinitions[]): FoundDefinitions {
  const byName = new Map<string, LoadedDefinition>()
  for (const { definitions } of sources)
    for (const definition of definitions) byName.set(definition.name.toLowerCase(), definition)
  return { definitions: [...byName.values()], problems: sources.flatMap((source) => source.problems) }
}

/**
 * The folder and those above it up to the repository's root, the root's first; without a repository only
 * the folder itself. The home folder is left out: its agents are the user's, not a project's.
 */
async function projectFolders(
  folder: string,
  home: string,
): Promise<{ readonly root: string; readonly folders: readonly string[] }> {
  const [start, realHome] = await Promise.all([realOf(folder), realOf(home)])
  const folders: string[] = []
  for (let here = start; ; here = dirname(here)) {
    folders.unshift(here)
    const isRoot = await exists(join(here, '.git'))
    if (isRoot) return { root: here, folders: folders.filter((each) => each !== realHome) }
    if (dirname(here) === here) return { root: start, folders: start === realHome ? [] : [start] }
  }
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}
