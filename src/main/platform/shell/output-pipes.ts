/**
 * Pipes for the output of commands. Node gives child processes sockets, which can't be opened by name, so that
 * `> /dev/stderr` and `tee /dev/stdout` would fail. Named pipes can. They are created in batches and opened, and then
 * their names are removed.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface OutputPipe {
  /** File descriptors. The taker of the pipe closes both. */
  readonly readFd: number
  readonly writeFd: number
}

interface OutputPipes {
  /** A pipe; null: the system has no named pipes. */
  take(): Promise<OutputPipe | null>
  /** Returns an unused pipe. */
  giveBack(pipe: OutputPipe | null): void
  /** Closes all pipes that were not taken, including pipes that are being created. */
  close(): Promise<void>
}

/** Pipes of a batch. Creating a batch starts a process, which costs as much as a command. */
const AT_ONCE = 32

export function createOutputPipes(options: {
  readonly tempFolder: string
  readonly environment: Readonly<Record<string, string>>
}): OutputPipes {
  const ready: OutputPipe[] = []
  let unavailable = process.platform === 'win32'
  let closed = false
  let making: Promise<void> | null = null
  /** Folders with names that are not removed yet. */
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

  /** Synchronous, because the program may be exiting. */
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
          // So that the next command does not wait.
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

/** Opens the reading end first and without blocking. Otherwise each end would wait for the other. */
function openBothEnds(name: string): OutputPipe {
  const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { readFd, writeFd: openSync(name, constants.O_WRONLY) }
  } catch (thrown) {
    closeSync(readFd)
    throw thrown
  }
}
