/** What a new agent is given beside its definition: its skills, what it may read, and what it can start. */
import { type ProgramPlaces, readsDocs, withPlaces } from '../definitions/program-places.ts'
import type { AgentMemory, LoadedDefinition, LoadedSkill, Ports } from '../ports.ts'
import type { Offers } from './agent-tools.ts'

export interface SpawnSurroundings {
  /** With the program's places in its prompt. */
  readonly definition: LoadedDefinition
  readonly offers: Offers
  readonly skills: readonly LoadedSkill[]
  /** Skills that its definition names and that are not there. */
  readonly missingSkills: readonly string[]
  readonly readFolders: readonly string[]
  readonly memory: AgentMemory
}

type SurroundingsPorts = Pick<Ports, 'definitions' | 'skills' | 'policy' | 'files' | 'memory'>

/** What can be started and loaded in a folder at this moment. */
export async function offersIn(folder: string, ports: SurroundingsPorts): Promise<Offers> {
  const options = { trusted: ports.policy.trusted(folder) }
  const [{ definitions }, skills] = await Promise.all([
    ports.definitions.load(folder, options),
    ports.skills.list(folder, options),
  ])
  return { definitions, skills }
}

export async function surroundingsOf(
  definition: LoadedDefinition,
  {
    folder,
    offers,
    places,
  }: { readonly folder: string; readonly offers: Offers; readonly places: ProgramPlaces },
  ports: SurroundingsPorts,
): Promise<SpawnSurroundings> {
  const options = { trusted: ports.policy.trusted(folder) }
  const names = [...new Set(definition.skills)]
  const [memory, ...loaded] = await Promise.all([
    ports.memory.load(folder, definition, options),
    ...names.map((name) => ports.skills.load(folder, name, options)),
  ])
  const skills = loaded.filter((skill) => skill !== null)
  const docs = readsDocs(definition) && places.docsFolder !== null ? [places.docsFolder] : []
  const own = memory.folder === null ? [] : [memory.folder]
  const folders = [...skills.map((skill) => skill.folder), ...docs, ...own]
  const real = await Promise.all(folders.map((path) => ports.files.realPath(path)))
  return {
    definition: withPlaces(definition, places),
    offers,
    skills,
    missingSkills: names.filter((_, index) => loaded[index] === null),
    memory,
    readFolders: real.flatMap((path) => (path.ok ? [path.value] : [])),
  }
}
