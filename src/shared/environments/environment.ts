/**
 * The environment of a worktree: the commands that make it ready, run it and clean up after it, its block of ports, and
 * its state as a fold of what happened to it.
 */
import { fail, ok, type Result } from '../kernel/result.ts'

/** A command that runs until it is stopped: a server. */
export interface RunCommand {
  /** `web`. Unique among the run commands. */
  readonly name: string
  readonly command: string
  /** A variable that holds its port besides `TROUPE_PORT…`: `PORT`. Null: none. */
  readonly portVariable: string | null
  /** The port at which it listens whatever the variables say; null: at its port of the block. */
  readonly listens: number | null
}

/** Whose file system the commands of a worktree have, in place of this machine's. */
export interface EnvironmentImage {
  /** `node:22`; null: it is built. */
  readonly name: string | null
  /** Null: it is pulled. Paths are below the folder. */
  readonly build: {
    readonly file: string
    readonly context: string
    readonly target: string | null
    readonly args: Readonly<Record<string, string>>
  } | null
  /** Added to the variables of the image. */
  readonly variables: Readonly<Record<string, string>>
}

/** In words: `node:22`, `.devcontainer/Dockerfile`. */
export const imageText = ({ name, build }: EnvironmentImage): string => name ?? build?.file ?? ''

export interface EnvironmentCommands {
  /** Missing: commands have the file system of this machine. */
  readonly image?: EnvironmentImage
  /** In their order. The first that fails ends the set-up. */
  readonly setup: readonly string[]
  readonly run: readonly RunCommand[]
  /** In their order, before the worktree is removed. A failure does not keep it. */
  readonly teardown: readonly string[]
  /**
   * Names and paths that the set-up makes alike from lock files and manifests: then all of it is shared between worktrees.
   * Empty: nothing is. Missing: the commands at its beginning that install packages are.
   */
  readonly share?: readonly string[]
  /** Hosts that the set-up reaches besides those of the settings: `packages.example.com`, `*.example.com`. */
  readonly hosts: readonly string[]
}

/** The commands of a folder, and where each part comes from: a path below the folder. */
export interface FoundCommands {
  readonly commands: EnvironmentCommands
  readonly sources: readonly string[]
  /** Whether a part was guessed from files that no program reads as an environment, like package.json. */
  readonly isProposed: boolean
  /** Sentences for the user. With a problem, nothing is run. */
  readonly problems: readonly string[]
}

export const noCommands: EnvironmentCommands = { setup: [], run: [], teardown: [], hosts: [] }

export const hasCommands = ({ image, setup, run, teardown }: EnvironmentCommands): boolean =>
  image !== undefined || setup.length + run.length + teardown.length > 0

/** Whether a worktree must be made ready before its commands can do their work. */
export const needsSetup = ({ image, setup }: EnvironmentCommands): boolean =>
  image !== undefined || setup.length > 0

/** One run command by its name, or the first. Fails with `not-found`. */
export function runCommandOf({ run }: EnvironmentCommands, name: string | null): Result<RunCommand> {
  const found = name === null ? run[0] : run.find((each) => each.name === name)
  if (found !== undefined) return ok(found)
  const names = run.map((each) => each.name).join(', ')
  return fail({
    type: 'not-found',
    message:
      run.length === 0
        ? 'Nothing to run: the environment has no run command.'
        : `There is no run command "${name}". There are: ${names}.`,
  })
}

/** Where the commands of a repository are. */
export const ENVIRONMENT_PATH = '.troupe/environment.yaml'

/** Ports of one worktree. */
export const BLOCK = 10

/** `TROUPE_PORT` and `TROUPE_PORT_1` to `TROUPE_PORT_9`. */
export function portVariables(base: number): Readonly<Record<string, string>> {
  const rest = Array.from({ length: BLOCK - 1 }, (_, at) => [`TROUPE_PORT_${at + 1}`, String(base + at + 1)])
  return { TROUPE_PORT: String(base), ...Object.fromEntries(rest) }
}

/** What happened to the environment of one worktree. Times are ms since the epoch. */
export type EnvironmentEvent =
  /** Its ports are `base` to `base + 9`. */
  | { readonly type: 'ports-reserved'; readonly at: number; readonly base: number }
  | { readonly type: 'setup-started'; readonly at: number }
  /** The file system of its commands. `id`: of the image that is ready; null: it is being made. */
  | { readonly type: 'image-chosen'; readonly at: number; readonly id: string | null }
  /** `index` counts from 0. `command`: as the user approved it. */
  | {
      readonly type: 'setup-step'
      readonly at: number
      readonly command: string
      readonly index: number
      readonly of: number
    }
  /** What the set-up of another worktree made was copied in, and its commands at the beginning are not run. */
  | { readonly type: 'setup-shared'; readonly at: number; readonly paths: readonly string[] }
  /** `error`: why it failed, one line; null: it is ready. */
  | {
      readonly type: 'setup-ended'
      readonly at: number
      readonly exitCode: number | null
      readonly error: string | null
    }
  /** The user goes on without it. */
  | { readonly type: 'setup-skipped'; readonly at: number }
  | { readonly type: 'run-started'; readonly at: number; readonly name: string; readonly port: number }
  /** It accepts connections. */
  | { readonly type: 'run-up'; readonly at: number; readonly name: string }
  /** `error`: one line; null: it was stopped. */
  | {
      readonly type: 'run-ended'
      readonly at: number
      readonly name: string
      readonly exitCode: number | null
      readonly error: string | null
    }

/** `none`: nothing was set up yet. */
export type WorktreeSetup =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'running'
      readonly since: number
      /** Null: it begins. */
      readonly command: string | null
      readonly index: number
      readonly of: number
      /** What was copied in. */
      readonly shared?: readonly string[]
    }
  | {
      readonly kind: 'ready'
      readonly at: number
      readonly tookMs: number
      readonly last: string | null
      readonly shared?: readonly string[]
    }
  | {
      readonly kind: 'failed'
      readonly at: number
      readonly command: string | null
      readonly exitCode: number | null
      readonly error: string
    }
  | { readonly kind: 'skipped'; readonly at: number }

type RunState =
  | { readonly kind: 'running'; readonly since: number; readonly isUp: boolean }
  | {
      readonly kind: 'ended'
      readonly at: number
      readonly exitCode: number | null
      readonly error: string | null
    }

export interface EnvironmentState {
  /** The first port of its block; null: none is reserved yet. */
  readonly base: number | null
  readonly setup: WorktreeSetup
  /** The image that its commands run in, once it is ready. Null: they run in the file system of this machine. */
  readonly image: { readonly id: string | null } | null
  /** By the name of the run command. */
  readonly runs: Readonly<Record<string, RunState>>
}

export const newEnvironment: EnvironmentState = {
  base: null,
  setup: { kind: 'none' },
  image: null,
  runs: {},
}

export function foldEnvironment(state: EnvironmentState, event: EnvironmentEvent): EnvironmentState {
  const { at } = event
  switch (event.type) {
    case 'ports-reserved':
      return { ...state, base: event.base }
    case 'setup-started':
      return { ...state, image: null, setup: { kind: 'running', since: at, command: null, index: 0, of: 0 } }
    case 'image-chosen':
      return { ...state, image: { id: event.id } }
    case 'setup-step': {
      const { command, index, of } = event
      const since = state.setup.kind === 'running' ? state.setup.since : at
      return {
        ...state,
        setup: { kind: 'running', since, command, index, of, ...sharedOf(state.setup) },
      }
    }
    case 'setup-shared':
      return state.setup.kind === 'running'
        ? { ...state, setup: { ...state.setup, command: null, shared: event.paths } }
        : state
    case 'setup-ended': {
      const begun = state.setup.kind === 'running' ? state.setup : null
      const command = begun?.command ?? null
      const { exitCode, error } = event
      return {
        ...state,
        setup:
          error === null
            ? {
                ...{ kind: 'ready', at, tookMs: begun === null ? 0 : at - begun.since, last: command },
                ...sharedOf(state.setup),
              }
            : { kind: 'failed', at, command, exitCode, error },
      }
    }
    case 'setup-skipped':
      return { ...state, image: null, setup: { kind: 'skipped', at } }
    case 'run-started':
      return withRun(state, event.name, { kind: 'running', since: at, isUp: false })
    case 'run-up': {
      const run = state.runs[event.name]
      return run?.kind === 'running' ? withRun(state, event.name, { ...run, isUp: true }) : state
    }
    case 'run-ended': {
      const { exitCode, error } = event
      return withRun(state, event.name, { kind: 'ended', at, exitCode, error })
    }
  }
}

const sharedOf = (setup: WorktreeSetup) =>
  setup.kind === 'running' && setup.shared !== undefined ? { shared: setup.shared } : {}

const withRun = (state: EnvironmentState, name: string, run: RunState): EnvironmentState => ({
  ...state,
  runs: { ...state.runs, [name]: run },
})

/** What a program that died left as running, as the events that correct it. */
export function correctionsOf({ setup, runs }: EnvironmentState, at: number): readonly EnvironmentEvent[] {
  const error = 'Troupe ended meanwhile.'
  return [
    ...(setup.kind === 'running' ? [{ type: 'setup-ended', at, exitCode: null, error } as const] : []),
    ...Object.entries(runs).flatMap(([name, run]) =>
      run.kind === 'running' ? [{ type: 'run-ended', at, name, exitCode: null, error } as const] : [],
    ),
  ]
}
