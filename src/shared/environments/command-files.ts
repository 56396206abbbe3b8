/** The files that the commands of a folder's environment come from. */
import { ENVIRONMENT_PATH } from './environment.ts'
import { PROPOSAL_FILES } from './proposed-commands.ts'

export const CONDUCTOR = 'conductor.json'
export const LAUNCH = '.claude/launch.json'
export const DEVCONTAINERS = ['.devcontainer/devcontainer.json', '.devcontainer.json'] as const

/** The files to read, below the folder. */
export const COMMAND_FILES: readonly string[] = [
  ...[ENVIRONMENT_PATH, CONDUCTOR, LAUNCH, ...DEVCONTAINERS],
  ...PROPOSAL_FILES,
]
