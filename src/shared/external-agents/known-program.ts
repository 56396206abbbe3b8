/**
 * The external agents that Troupe knows: whether they are here, how they are installed, and what they answer.
 * They are agents in the catalog while they are in use; any other program is a definition with `backing: acp`.
 */
import type { Result } from '../kernel/result.ts'

/** The id is the name of the agent too. */
export const programIds = ['claude-code', 'codex', 'gemini', 'opencode'] as const
export type ProgramId = (typeof programIds)[number]

export interface ProgramState {
  readonly id: ProgramId
  /** "Claude Code" */
  readonly title: string
  /** "Anthropic" */
  readonly maker: string
  /** For a user who wonders what it is, as one sentence. */
  readonly about: string
  /** The npm package that Troupe installs, and the version that it was tried with. */
  readonly package: string
  readonly pinned: string
  /** `own`: installed by Troupe in the data folder. `path`: found on the user's PATH. With both, `own` counts. */
  readonly place: 'none' | 'path' | 'own'
  /** The program's absolute path; null: it is not here. */
  readonly file: string | null
  /** Null: it is not here, or only its own answer tells (`check`). */
  readonly version: string | null
  /** Whether it is an agent in the catalog. One that Troupe installed is; one that was only found waits for the user. */
  readonly isUsed: boolean
  /** A newer version that is known without a question to the registry; null: none is, or Troupe did not install it. */
  readonly update: string | null
  /** Why it can't start, or could not after an installation, with what to do, as sentences; null: nothing is known. */
  readonly problem: string | null
  /** What was found that is not enough, such as a program without its adapter, as a sentence. */
  readonly note: string | null
  /** How the user logs in, as a sentence. */
  readonly login: string
  /** What it can't do under Troupe, as sentences. */
  readonly lacks: readonly string[]
  /** What Troupe does with it now; null: nothing. */
  readonly work: ProgramWork | null
}

export interface ProgramWork {
  readonly kind: 'offer' | 'install' | 'update' | 'remove' | 'check'
  /** The step in progress: "Fetching 34 packages". */
  readonly line: string
  /** How much of a download is there, 1 to 99; missing: unknown. */
  readonly percent?: number
}

/** What an installation or an update would bring. Nothing has happened yet. */
export interface ProgramOffer {
  readonly id: ProgramId
  readonly package: string
  readonly version: string
  /** The version that it replaces. */
  readonly former: string | null
  /** Who published the package in the registry; null: the registry does not say. */
  readonly publisher: string | null
  /** About how much it takes on the disk, as measured for this version; the registry does not say it for all its parts. */
  readonly bytes: number
  /** The folder that will hold it. Absolute. */
  readonly folder: string
  /** Why it could not be installed now, with what to do; null: it could. */
  readonly problem: string | null
}

/** What a program answered when it was started for a test. */
export interface ProgramCheck {
  readonly id: ProgramId
  /** As the program calls itself; null: it does not say. */
  readonly name: string | null
  readonly version: string | null
  /** ms until it had answered. */
  readonly ms: number
  readonly can: {
    /** Whether a session can be opened again later. */
    readonly resume: boolean
    readonly images: boolean
    /** The MCP servers that it takes besides those that are started as a command. */
    readonly mcp: readonly ('http' | 'sse')[]
  }
  /** Null: it can be used now. Otherwise why a login is needed, in the program's words, and the ways that it offers. */
  readonly login: {
    readonly message: string
    readonly methods: readonly {
      readonly id: string
      readonly name: string
      readonly description: string
    }[]
  } | null
}

/** The keys that Troupe keeps for programs. A definition names them in `env`; the environment comes first. */
export interface StoredKeys {
  /** The names of the variables. */
  readonly names: readonly string[]
  /** Whether the system's key store encrypts; false: it only obfuscates. */
  readonly isSafe: boolean
}

export interface KnownPrograms {
  /** All known programs. `again`: looks at the disk again. */
  list(options?: { readonly again?: boolean }): Promise<readonly ProgramState[]>
  /**
   * Asks the registry: of what Troupe installed for the newest version, else for the pinned one. With nothing newer, the
   * offer has the version of now. Fails with `no-npm` or `npm`.
   */
  offer(id: ProgramId): Promise<Result<ProgramOffer>>
  /**
   * Installs the version that was offered last, or else the pinned one. The former version stays until the new one is complete. Fails with
   * `busy`, `no-npm`, `npm`, `canceled` or `not-installed`, and then nothing has changed.
   *
   * @param version the one that the user has seen; another one fails with `moved`
   */
  install(id: ProgramId, version: string): Promise<Result<void>>
  /** Ends an installation. */
  cancel(id: ProgramId): void
  /** Deletes what Troupe installed. Its logins and settings, which are its own, stay. Fails with `busy` or `not-removed`. */
  remove(id: ProgramId): Promise<Result<void>>
  /** Starts the program, reads its answer and ends it. Fails with `not-here`, `no-node` or `no-answer`. */
  check(id: ProgramId): Promise<Result<ProgramCheck>>
  /** Whether it is an agent in the catalog. */
  use(id: ProgramId, isUsed: boolean): Promise<Result<void>>
  /** Calls back with all programs after each change. @returns the function that stops watching */
  watch(changed: (programs: readonly ProgramState[]) => void): () => void
}

/** Whether a version comes after another: `1.10.0` after `1.9.3`, and a prerelease before its release. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [partsOf(version), partsOf(than)]
  for (let at = 0; at < 3; at++) {
    const difference = (one.numbers[at] ?? 0) - (other.numbers[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  if (one.prerelease === '' || other.prerelease === '')
    return one.prerelease === '' && other.prerelease !== ''
  return one.prerelease.localeCompare(other.prerelease, 'en', { numeric: true }) > 0
}

function partsOf(version: string) {
  const [release = '', ...rest] = version.replace(/\+.*$/, '').split('-')
  return { numbers: release.split('.').map(Number), prerelease: rest.join('-') }
}
