/** The surroundings of a new agent: skills, memory, folders to read, and the agents and skills that it can start. */
import { type ProgramPaths, readsDocs, withProgramPaths } from '../definitions/program-paths.ts'
import type { AgentMemory, LoadedDefinition, LoadedSkill, Ports } from '../ports.ts'
import type { FolderCatalog } from './agent-tools.ts'

interface SpawnSurroundings {
  /** With the program's paths filled into its prompt. */
  readonly definition: LoadedDefinition
  readonly catalog: FolderCatalog
  readonly skills: readonly LoadedSkill[]
  /** Skills that the definition names and that do not exist. */
  readonly missingSkills: readonly string[]
  readonly readFolders: readonly string[]
  readonly memory: AgentMemory
}

type SurroundingsPorts = Pick<Ports, 'definitions' | 'skills' | 'policy' | 'files' | 'memory'>

/** The agents and skills of a folder at this moment. */
export async function loadCatalog(folder: string, ports: SurroundingsPorts): Promise<FolderCatalog> {
  const options = { trusted: ports.policy.trusted(folder) }
  const [{ definitions, problems }, skills] = await Promise.all([
    ports.definitions.load(folder, options),
    ports.skills.list(folder, options),
  ])
  return { definitions, skills, refused: problems.filter(({ refuses }) => refuses !== undefined) }
}

export async function surroundingsOf(
  definition: LoadedDefinition,
  {
    folder,
    catalog,
    programPaths,
  }: { readonly folder: string; readonly catalog: FolderCatalog; readonly programPaths: ProgramPaths },
  ports: SurroundingsPorts,
): Promise<SpawnSurroundings> {
  const options = { trusted: ports.policy.trusted(folder) }
  const names = [...new Set(definition.skills)]
  const [memory, ...loaded] = await Promise.all([
    ports.memory.load(folder, definition, options),
    ...names.map((name) => ports.skills.load(folder, name, options)),
  ])
  const skills = loaded.filter((skill) => skill !== null)
  const docs = readsDocs(definition) && programPaths.docsFolder !== null ? [programPaths.docsFolder] : []
  const own = memory.folder === null ? [] : [memory.folder]
  const folders = [...skills.map((skill) => skill.folder), ...docs, ...own]
  const real = await Promise.all(folders.map((path) => ports.files.realPath(path)))
  return {
    definition: withProgramPaths(definition, programPaths),
    catalog,
    skills,
    missingSkills: names.filter((_, index) => loaded[index] === null),
    memory,
    readFolders: real.flatMap((path) => (path.ok ? [path.value] : [])),
  }
}
