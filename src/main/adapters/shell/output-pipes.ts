/**
 * Real pipes for the output of commands. What Node itself gives a child are sockets, and those can't be
 * opened by name: `> /dev/stderr` and `tee /dev/stdout` would fail. Named pipes can; they are made many at
 * a time, opened, and their names removed at once.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface OutputPipe {
  /** Descriptors; who takes the pipe closes both. */
  readonly readFd: number
  readonly writeFd: number
}

export interface OutputPipes {
  /** A pipe, or null where the system has no named ones. */
  take(): Promise<OutputPipe | null>
  /** Takes back a pipe that nothing was done with. */
  giveBack(pipe: OutputPipe | null): void
  /** Closes those that nobody took. Resolves when also those are gone that were just being made. */
  close(): Promise<void>
}

/** Making them starts a program, which costs as much as a command itself: so many commands share that. */
const AT_ONCE = 32

export function createOutputPipes(options: {
  readonly tempFolder: string
  readonly environment: Readonly<Record<string, string>>
}): OutputPipes {
  const ready: OutputPipe[] = []
  let unavailable = process.platform === 'win32'
  let closed = false
  let making: Promise<void> | null = null
  /** Where names exist at the moment. */
  let folder: string | null = null

  function make(): Promise<void> {
    const onFolder = (made: string) => {
      folder = made
      if (closed) clear()
    }
    making ??= makePipes({ ...options, onFolder })
      .then(
        (pipes) => {
          ready.push(...pipes)
          if (closed) drop()
        },
        () => {
          unavailable = true
        },
      )
      .finally(() => {
        making = null
      })
    return making
  }

  /** At once, since the program may be about to exit. */
  function clear(): void {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }

  function drop(): void {
    for (const pipe of ready.splice(0)) {
      closeSync(pipe.readFd)
      closeSync(pipe.writeFd)
    }
  }

  return {
    take: async () => {
      while (!unavailable && !closed) {
        const pipe = ready.pop()
        if (pipe) {
          // The next command then has one without waiting.
          if (ready.length === 0) void make()
          return pipe
        }
        await make()
      }
      return null
    },
    giveBack: (pipe) => {
      if (pipe !== null) ready.push(pipe)
      if (closed) drop()
    },
    close: async () => {
      closed = true
      drop()
      clear()
      await making
    },
  }
}

async function makePipes(options: {
  readonly tempFolder: string
  readonly environment: Readonly<Record<string, string>>
  readonly onFolder: (folder: string) => void
}): Promise<readonly OutputPipe[]> {
  const folder = await mkdtemp(join(options.tempFolder, 'troupe-pipes-'))
  options.onFolder(folder)
  const pipes: OutputPipe[] = []
  try {
    const names = Array.from({ length: AT_ONCE }, (_, index) => join(folder, String(index)))
    await promisify(execFile)('mkfifo', ['-m', '600', ...names], { env: options.environment })
    for (const name of names) pipes.push(openBothEnds(name))
    return pipes
  } catch (thrown) {
    for (const pipe of pipes) {
      closeSync(pipe.readFd)
      closeSync(pipe.writeFd)
    }
    throw thrown
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The reading end first and without blocking, since otherwise each end would wait for the other. */
function openBothEnds(name: string): OutputPipe {
  const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { readFd, writeFd: openSync(name, constants.O_WRONLY) }
  } catch (thrown) {
    closeSync(readFd)
    throw thrown
  }
}
