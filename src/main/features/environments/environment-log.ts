/**
 * The output of an environment's commands on the disk: the newest 8 MB, in two files that take turns. A line is its time,
 * where it comes from, and its text.
 */
import { appendFile, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogPage, OutputLine } from '../../../shared/environments/environments.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import { FILE_MODE, makeFolder } from '../../platform/system/atomic-file.ts'

export interface OutputLog {
  /** @param text finished lines */
  add(source: string, text: string): void
  /** Resolves when everything that was added is on the disk. */
  flush(): Promise<void>
}

/** Bytes of one file. */
const LARGEST_FILE = 4 * 1024 * 1024
/** Characters that may wait for the disk. Output beyond is left out, and a line says how much. */
const MOST_WAITING = 1024 * 1024
/** Characters of one line. */
const LONGEST_LINE = 2000

const currentFile = (folder: string) => join(folder, 'log.txt')
const formerFile = (folder: string) => join(folder, 'log.1.txt')

export function createEnvironmentLog(options: {
  readonly folder: string
  readonly now: () => number
  readonly onProblem: (message: string) => void
  readonly onLine: (line: OutputLine) => void
}): OutputLog {
  const { folder, now } = options
  let waiting = ''
  let leftOut = 0
  let size: number | null = null
  let writing: Promise<void> | null = null

  async function write(): Promise<void> {
    await makeFolder(folder)
    size ??= await stat(currentFile(folder)).then(
      (found) => found.size,
      () => 0,
    )
    while (waiting !== '' || leftOut > 0) {
      const text = leftOut === 0 ? waiting : `${waiting}${lineOf(now(), 'troupe', leftOutText(leftOut))}`
      waiting = ''
      leftOut = 0
      if (size > LARGEST_FILE) {
        await rename(currentFile(folder), formerFile(folder))
        size = 0
      }
      await appendFile(currentFile(folder), text, { mode: FILE_MODE })
      size += Buffer.byteLength(text)
    }
  }

  const start = () => {
    writing ??= write()
      .catch((thrown: unknown) => {
        waiting = ''
        options.onProblem(`The log ${currentFile(folder)} could not be written: ${messageOf(thrown)}`)
      })
      .finally(() => {
        writing = null
        if (waiting !== '') start()
      })
  }

  return {
    add(source, text) {
      const at = now()
      const lines = text.replace(/\n$/, '').split('\n')
      for (const line of lines) options.onLine({ at, source, text: line })
      if (waiting.length > MOST_WAITING) leftOut += lines.length
      else waiting += lines.map((line) => lineOf(at, source, line)).join('')
      start()
    },
    async flush() {
      while (writing !== null) await writing
    },
  }
}

const lineOf = (at: number, source: string, text: string): string =>
  `${at}\t${source}\t${text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text}\n`

const leftOutText = (lines: number): string =>
  `${lines} ${lines === 1 ? 'line was' : 'lines were'} left out: the output came faster than the disk takes it.`

/** Bytes read from the end. */
const MOST_READ = 2 * 1024 * 1024

/** The last lines. @param source only those of it; null: all */
export async function readLog(
  folder: string,
  { source, lines }: { readonly source: string | null; readonly lines: number },
): Promise<LogPage> {
  const current = await endOf(currentFile(folder), MOST_READ)
  const isEnough = current.isCut || current.text.split('\n').length > lines
  const former = isEnough ? { text: '', isCut: true } : await endOf(formerFile(folder), MOST_READ)
  const all = `${former.text}${current.text}`.split('\n').flatMap((line) => readLine(line) ?? [])
  const fitting = source === null ? all : all.filter((line) => line.source === source)
  return {
    lines: fitting.slice(-lines),
    isCut: fitting.length > lines || current.isCut || former.isCut,
  }
}

/** Grows with the log. 0: there is none. */
export async function logSize(folder: string): Promise<number> {
  const sizes = await Promise.all(
    [currentFile(folder), formerFile(folder)].map((file) =>
      stat(file).then(
        (found) => found.size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, each) => sum + each, 0)
}

function readLine(line: string): OutputLine | null {
  const [, at, source, text] = /^(\d+)\t([^\t]*)\t(.*)$/.exec(line) ?? []
  return at === undefined || source === undefined || text === undefined
    ? null
    : { at: Number(at), source, text }
}

async function endOf(
  file: string,
  most: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const handle = await open(file, 'r').catch(() => null)
  if (handle === null) return { text: '', isCut: false }
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, most)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    const text = buffer.subarray(0, bytesRead).toString('utf8')
    return size > most ? { text: text.slice(text.indexOf('\n') + 1), isCut: true } : { text, isCut: false }
  } finally {
    await handle.close()
  }
}
