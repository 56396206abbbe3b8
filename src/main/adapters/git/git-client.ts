/**
 * Git, always with the same guards: nothing that a repository names is run (file monitor, hooks, pager, a bare
 * repository planted in a folder), nothing asks a person, and its words are English.
 */
import { type SimpleGitOptions, simpleGit } from 'simple-git'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'

export interface GitOptions {
  readonly signal?: AbortSignal
  /** Given to the command's standard input. */
  readonly input?: string | Buffer
  /** Added to the environment: an index of its own, a name to commit under. */
  readonly environment?: Readonly<Record<string, string>>
  /** More `-c` settings: `key=value`. */
  readonly config?: readonly string[]
}

export interface GitOutput {
  readonly output: string
  /** Also of calls that failed in the way that was asked for: see `accepts`. */
  readonly code: number
}

export interface Git {
  /** What it prints, whole. Failures: `git` with git's own words, `aborted`, `no-git`, `not-found` (the folder). */
  run(folder: string, args: readonly string[], options?: GitOptions): Promise<Result<string>>
  /** The same for output that is not text. */
  bytes(folder: string, args: readonly string[], options?: GitOptions): Promise<Result<Buffer>>
  /** The same, where some exit codes beside 0 are answers: `merge-tree` says 1 for conflicts. */
  answers(
    folder: string,
    args: readonly string[],
    options: GitOptions & { readonly accepts: readonly number[] },
  ): Promise<Result<GitOutput>>
}

/** Every call carries these; a repository's own settings can't take them back. */
export const GUARDS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'safe.bareRepository=explicit',
  'core.quotePath=false',
  'core.filesRefLockTimeout=10000',
  'core.packedRefsTimeout=10000',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  'commit.gpgSign=false',
  // It would refuse files over their line ends.
  'core.safecrlf=false',
  // Whoever resets a worktree does not mean what lies in its submodules.
  'submodule.recurse=false',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
] as const

/** `environment`: who the user is and where programs lie; no key is in it. */
export function createGit({ environment }: { readonly environment: Readonly<Record<string, string>> }): Git {
  const base = {
    ...environment,
    LC_ALL: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  }

  async function call(
    folder: string,
    args: readonly string[],
    {
      signal,
      input,
      environment: more,
      config = [],
      accepts = [],
    }: GitOptions & { accepts?: readonly number[] },
  ): Promise<Result<{ readonly output: Buffer; readonly code: number }>> {
    if (signal?.aborted) return fail(aborted)
    const environment = { ...base, ...more }
    let output = Buffer.alloc(0)
    let code = 0
    const options: Partial<SimpleGitOptions> = {
      baseDir: folder,
      config: [...GUARDS, ...config],
      // These are switched off by it, which simple-git takes for switching them on.
      unsafe: { allowUnsafeFsMonitor: true, allowUnsafeHooksPath: true, allowUnsafeFilter: true },
      allowEnvironment: Object.keys(environment),
      maxConcurrentProcesses: 1,
      errors(error, result) {
        code = result.exitCode
        output = Buffer.concat(result.stdOut)
        if (code === 0 || accepts.includes(code)) return undefined
        const words = Buffer.concat(result.stdErr)
        return words.length > 0 ? words : (error ?? Buffer.from('it said nothing'))
      },
      ...(signal ? { abort: signal } : {}),
      // Nothing is an input too: without a buffer the command would wait for it for ever.
      ...(input === undefined ? {} : { input: () => Buffer.from(input) }),
    }
    try {
      await simpleGit(options)
        .env(environment)
        .raw([...args])
      return ok({ output, code })
    } catch (thrown) {
      if (signal?.aborted) return fail(aborted)
      return fail(failureFor(folder, args, thrown))
    }
  }

  return {
    async run(folder, args, options = {}) {
      const called = await call(folder, args, options)
      return called.ok ? ok(called.value.output.toString('utf8')) : called
    },
    async bytes(folder, args, options = {}) {
      const called = await call(folder, args, options)
      return called.ok ? ok(called.value.output) : called
    },
    async answers(folder, args, options) {
      const called = await call(folder, args, options)
      return called.ok
        ? ok({ output: called.value.output.toString('utf8'), code: called.value.code })
        : called
    },
  }
}

const aborted = { type: 'aborted', message: 'Stopped before git was done.' }

function failureFor(folder: string, args: readonly string[], thrown: unknown) {
  const words = messageOf(thrown).trim()
  if (/ENOENT/.test(words))
    return {
      type: 'no-git',
      message: 'The program git was not found. Install git 2.38 or newer, and see that it is on the PATH.',
      cause: thrown,
    }
  if (/Cannot use simple-git on a directory that does not exist/.test(words))
    return { type: 'not-found', message: `The folder ${folder} is gone.`, cause: thrown }
  const verb = args.find((word) => !word.startsWith('-')) ?? ''
  return { type: 'git', message: `git ${verb} failed: ${words}`, cause: thrown }
}
