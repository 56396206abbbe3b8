/**
 * What every feature stands on: the folders and settings of a program, trust, the clock, git, transcripts, and what its
 * processes inherit. Reads nothing from the environment itself.
 */
import { dirname } from 'node:path'
import { messageOf } from '../../shared/kernel/result.ts'
import type { Clock } from '../runtime/ports/ports.ts'
import type { TranscriptStore } from '../runtime/ports/transcripts.ts'
import { createGit, type Git } from './git/git-client.ts'
import type { ProgramLaunch } from './launch-options.ts'
import { childEnvironment } from './shell/child-environment.ts'
import { type CommandEnvironment, commandEnvironment } from './shell/command-environment.ts'
import { type CommandOwner, createCommandOwner, endLostCommands } from './shell/end-lost-commands.ts'
import { createFolderTrust } from './system/folder-trust.ts'
import { createSystemClock, machineElapsed } from './system/machine-time.ts'
import { randomKey } from './system/random-names.ts'
import { realFolderOf } from './system/real-folder.ts'
import { createTranscriptStore } from './transcripts/create-transcript-store.ts'

export interface Platform extends Pick<ProgramLaunch, 'dataFolder' | 'home' | 'settings' | 'docsFolder'> {
  /** The folder with the program's files. */
  readonly programFolder: string
  readonly onProblem: (message: string) => void
  readonly isTrusted: (folder: string) => boolean
  /** Whether a folder is trusted only with one around it, so that nobody was asked about what is in it at first. */
  readonly isInherited: (folder: string) => boolean
  readonly clock: Clock
  readonly now: () => number
  /** ms, for durations. */
  readonly elapsed: () => number
  /** A UUID, for what needs a name that nothing else has and nobody can guess. */
  readonly newKey: () => string
  readonly git: Git
  readonly store: TranscriptStore
  /** The user's environment without the program's keys. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The environment of the program's own child processes. */
  readonly environment: Readonly<Record<string, string>>
  /** What commands of agents get, as the settings say now. */
  readonly commandVariables: () => CommandEnvironment
  /** This program, as the owner of its commands in the background. */
  readonly owner: CommandOwner
}

export async function createPlatform(options: ProgramLaunch): Promise<Platform> {
  const { dataFolder, home, settings, docsFolder, onProblem = () => {} } = options
  const isTrusted = createFolderTrust({ settings, home, dataFolder })
  const clock = createSystemClock()
  const environment = childEnvironment(options.environment)
  const { exported, ofSettings } = options.forCommands ?? { exported: options.environment, ofSettings: {} }
  endLostCommands(dataFolder).catch((thrown: unknown) => onProblem(messageOf(thrown)))
  return {
    ...{ dataFolder, home, settings, docsFolder, onProblem, isTrusted, clock, environment },
    programFolder: dirname(docsFolder),
    isInherited: (folder) => isTrusted(dirname(realFolderOf(folder) ?? folder)),
    now: clock.now,
    elapsed: machineElapsed,
    newKey: randomKey,
    git: createGit({ environment }),
    store: createTranscriptStore({
      dataFolder: options.conversationsFolder ?? dataFolder,
      clock,
      onProblem: (problem) => onProblem(problem.message),
    }),
    variables: options.environment,
    commandVariables: () =>
      commandEnvironment({
        environment: exported,
        ofSettings,
        lists: settings.current.commandVariables,
        keys: Object.values(settings.current.providers).flatMap(({ keyVariable }) => keyVariable ?? []),
      }),
    owner: await createCommandOwner(dataFolder),
  }
}
