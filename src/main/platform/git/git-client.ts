/**
 * Runs git. Every call has the same guards: git runs no program that a repository names (file monitor, hooks,
 * pager, and what its settings name since it was first used), opens no bare repository that is planted in a folder,
 * never prompts, and prints in the C locale.
 */
import { stat } from 'node:fs/promises'
import { constants } from 'node:os'
import { type SimpleGitOptions, simpleGit } from 'simple-git'
import { maskSecrets } from '../../../shared/kernel/mask-secrets.ts'
import { fail, messageOf, ok } from '../../../shared/kernel/result.ts'
import { Semaphore } from '../../../shared/kernel/semaphore.ts'
import { type GitFailure, type GitResult, reasonFrom } from './git-failure.ts'
import { pinPrograms } from './pinned-programs.ts'

export interface GitOptions {
  readonly signal?: AbortSignal
  /** Written to the command's standard input. */
  readonly input?: string | Buffer
  /** Added to the environment: an index file, an identity to commit under. */
  readonly environment?: Readonly<Record<string, string>>
  /** Additional `-c` settings: `key=value`. */
  readonly config?: readonly string[]
  /** Bytes. A call that prints more ends with a failure of the reason `too-much-output`. Default: no limit. */
  readonly maxOutput?: number
}

interface GitOutput {
  readonly output: string
  /** 0, or one of the accepted exit codes. */
  readonly code: number
}

export interface Git {
  /** The standard output. */
  run(folder: string, args: readonly string[], options?: GitOptions): Promise<GitResult<string>>
  /** The standard output of a command that does not print text. */
  bytes(folder: string, args: readonly string[], options?: GitOptions): Promise<GitResult<Buffer>>
  /** For commands whose exit code is an answer: `merge-tree` exits with 1 for conflicts. */
  answers(
    folder: string,
    args: readonly string[],
    options: GitOptions & { readonly accepts: readonly number[] },
  ): Promise<GitResult<GitOutput>>
}

/** Settings of every call. They win over the settings of a repository. */
const GUARDS = [
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
  // With it, git would reject files because of their line endings.
  'core.safecrlf=false',
  // A reset of a worktree must not touch the content of its submodules.
  'submodule.recurse=false',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
] as const

interface Call extends GitOptions {
  readonly folder: string
  readonly args: readonly string[]
  readonly accepts?: readonly number[]
}

interface CallOutput {
  readonly output: Buffer
  readonly code: number
}

/** @param options.environment the user's home and the path to programs; it holds no API key */
export function createGit({ environment }: { readonly environment: Readonly<Record<string, string>> }): Git {
  const base = {
    ...environment,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  }

  async function call(request: Call): Promise<GitResult<CallOutput>> {
    const { folder, args, input, config = [], accepts = [], maxOutput = Number.POSITIVE_INFINITY } = request
    if (request.signal?.aborted) return fail(aborted)
    const tooMuch = new AbortController()
    const isLimited = maxOutput !== Number.POSITIVE_INFINITY
    const signal =
      isLimited && request.signal
        ? AbortSignal.any([request.signal, tooMuch.signal])
        : isLimited
          ? tooMuch.signal
          : request.signal
    const environment = { ...base, ...request.environment }
    let output = Buffer.alloc(0)
    let code: number | null = null
    const options: Partial<SimpleGitOptions> = {
      baseDir: folder,
      config: [...GUARDS, ...config],
      // The guards switch these off, and new repositories have no templates. By default, simple-git refuses any
      // setting of them.
      unsafe: {
        allowUnsafeFsMonitor: true,
        allowUnsafeHooksPath: true,
        allowUnsafeFilter: true,
        allowUnsafeTemplateDir: true,
      },
      allowEnvironment: Object.keys(environment),
      maxConcurrentProcesses: 1,
      errors(error, result) {
        code = result.exitCode
        output = Buffer.concat(result.stdOut)
        if (code === 0 || accepts.includes(code)) return undefined
        const stderr = Buffer.concat(result.stdErr)
        return stderr.length > 0 ? stderr : (error ?? Buffer.from(`exit code ${code}`))
      },
      ...(signal ? { abort: signal } : {}),
      // An empty input needs a buffer too, or the command waits for its input forever.
      ...(input === undefined ? {} : { input: () => Buffer.from(input) }),
    }
    try {
      const client = simpleGit(options).env(environment)
      client.outputHandler((_, stdout) => {
        if (isLimited) stopAfter(stdout, maxOutput, tooMuch)
        endAtOnce(stdout)
      })
      await client.raw([...args])
      return ok({ output, code: code ?? 0 })
    } catch (thrown) {
      if (tooMuch.signal.aborted) return fail(tooMuchOutput)
      if (request.signal?.aborted) return fail(aborted)
      return fail(await failureFor(request, { thrown, code }))
    }
  }

  const pinned = pinPrograms(async (folder, args, gitFolder) => {
    const environment = gitFolder === undefined ? {} : { GIT_DIR: gitFolder }
    const listed = await call({ folder, args, environment })
    return listed.ok ? listed.value.output.toString('utf8') : null
  })

  async function guarded(request: Call): Promise<GitResult<CallOutput>> {
    const refused = await pinned.refusal(request.folder, request.environment?.['GIT_DIR'])
    return refused === null ? call(request) : fail({ type: 'git', reason: 'other', message: refused })
  }

  return {
    async run(folder, args, options = {}) {
      const called = await guarded({ ...options, folder, args })
      return called.ok ? ok(called.value.output.toString('utf8')) : called
    },
    async bytes(folder, args, options = {}) {
      const called = await guarded({ ...options, folder, args })
      return called.ok ? ok(called.value.output) : called
    },
    async answers(folder, args, options) {
      const called = await guarded({ ...options, folder, args })
      return called.ok
        ? ok({ output: called.value.output.toString('utf8'), code: called.value.code })
        : called
    },
  }
}

const aborted: GitFailure = { type: 'aborted', message: 'Stopped before git was done.' }

const tooMuchOutput: GitFailure = {
  type: 'git',
  reason: 'too-much-output',
  message: 'Git printed more than the limit and was stopped.',
}

/** After a command that printed nothing, simple-git waits 50 ms for output. None can come once the stream has ended. */
function endAtOnce(stdout: NodeJS.ReadableStream): void {
  stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)))
}

function stopAfter(stdout: NodeJS.ReadableStream, maxBytes: number, stop: AbortController): void {
  let bytes = 0
  stdout.on('data', (data: Buffer) => {
    bytes += data.length
    if (bytes > maxBytes) stop.abort()
  })
}

/** Node reports a process that could not be started with the negated error number as its exit code. */
const NOT_STARTED = -constants.errno.ENOENT

async function failureFor(
  { folder, args }: Call,
  { thrown, code }: { readonly thrown: unknown; readonly code: number | null },
): Promise<GitFailure> {
  if ((code === null || code === NOT_STARTED) && !(await isFolder(folder)))
    return { type: 'not-found', message: `The folder ${folder} is gone.`, cause: thrown }
  if (code === NOT_STARTED)
    return {
      type: 'no-git',
      message: 'Git was not found. Install git 2.38 or newer and make sure it is on the PATH.',
      cause: thrown,
    }
  const text = messageOf(thrown).trim()
  const verb = args.find((word) => !word.startsWith('-')) ?? ''
  // Git repeats an address that it was given, and older versions also that of a remote.
  const message = maskSecrets(`git ${verb} failed: ${text}`).text
  return { type: 'git', reason: reasonFrom(text), message, cause: thrown }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** A git client with a limit on concurrent processes. Calls above the limit wait in the order they were made. */
export function limitGit(git: Git, maxProcesses: number): Git {
  const semaphore = new Semaphore(() => maxProcesses)
  return {
    run: (folder, args, options) => semaphore.run(() => git.run(folder, args, options)),
    bytes: (folder, args, options) => semaphore.run(() => git.bytes(folder, args, options)),
    answers: (folder, args, options) => semaphore.run(() => git.answers(folder, args, options)),
  }
}
