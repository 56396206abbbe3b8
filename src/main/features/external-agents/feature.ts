/** Composes the external agents that Troupe knows. */
import { join } from 'node:path'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { Settings, SettingsPatch } from '../../../shared/settings/settings.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import { pathOutside } from './programs/find-programs.ts'
import { broughtNode, createNodeRuntimes } from './programs/node-runtime.ts'
import { createNpm, type Npm } from './programs/npm.ts'
import { createOutsidePrograms, type ProgramCatalog } from './programs/outside-programs.ts'

export function composePrograms({
  dataFolder,
  home,
  programFolder,
  environment,
  variables,
  clock,
  settings,
}: {
  readonly dataFolder: string
  readonly home: string
  /** The folder with this program's files. */
  readonly programFolder: string
  readonly environment: Readonly<Record<string, string>>
  /** The whole environment of the user. */
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly settings: {
    readonly current: Settings
    change?(patch: SettingsPatch): Promise<Result<Settings>>
  }
}): ProgramCatalog {
  const path = pathIn(environment, home)
  return createOutsidePrograms({
    folder: join(dataFolder, 'agents'),
    path,
    home,
    platform: process.platform,
    settings,
    environment,
    variables,
    clock,
    npm: composeNpm({ environment, variables, home }),
    nodes: createNodeRuntimes({
      path,
      own: {
        command: process.execPath,
        version: process.versions.node,
        isElectron: process.versions['electron'] !== undefined,
      },
      brought: broughtNode(programFolder),
    }),
  })
}

/** Answers the window. Each change is answered with all programs; their keys are in the system's key store. */
export function programHandlers(
  programs: ProgramCatalog,
): Omit<HandlersOf<'programs'>, 'programs.keys' | 'programs.saveKey'> {
  const listed = async (done: Result<void>) => (done.ok ? ok(await programs.list()) : done)
  return {
    'programs.list': async ({ again }) => ok(await programs.list({ again })),
    'programs.offer': ({ id }) => programs.offer(id),
    'programs.install': async ({ id, version }) => listed(await programs.install(id, version)),
    'programs.cancel': async ({ id }) => ok(programs.cancel(id)),
    'programs.remove': async ({ id }) => listed(await programs.remove(id)),
    'programs.check': ({ id }) => programs.check(id),
    'programs.use': async ({ id, used }) => listed(await programs.use(id, used)),
  }
}

/** The user's npm. */
export function composeNpm({ environment, variables, home }: NpmEnvironment): Npm {
  return createNpm({
    path: pathIn(environment, home),
    node: process.execPath,
    environment: { ...environment, ...ofNpm(variables) },
    platform: process.platform,
  })
}

interface NpmEnvironment {
  readonly home: string
  readonly environment: Readonly<Record<string, string>>
  /** The whole environment of the user. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Without the folder in which the program was started. */
function pathIn(environment: Readonly<Record<string, string>>, home: string): string {
  const given = Object.entries(environment).find(([name]) => /^path$/i.test(name))?.[1] ?? ''
  return pathOutside(given, process.cwd(), home)
}

/** npm’s own settings, and proxies, also with a password: npm runs no code of the packages that it fetches. */
function ofNpm(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value !== undefined && /^(npm_config_\w+|(https?|all|no)_proxy)$/i.test(name) ? [[name, value]] : [],
    ),
  )
}
