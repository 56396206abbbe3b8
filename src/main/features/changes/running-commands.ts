/** The commands that run now, and which of them wrote a file. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { readUpTo } from '../../platform/system/read-up-to.ts'
import type { JournaledCall } from '../../runtime/ports/changes.ts'
import { type ChangedState, keyOf } from './file-states.ts'
import type { FolderSnapshot } from './folder-snapshot.ts'

export interface ObservedCommand {
  /** Infinity: an external agent, whose folder is inspected again and again until it ends. */
  readonly startedAt: number
  readonly agentId: string
  readonly toolUseId: string
  /** What the agent ran, with the scripts that it names. Empty: not known. */
  readonly text: string
  before: FolderSnapshot
}

/** ms: the longest time of a command in the foreground. */
const LONGEST_COMMAND_MS = 600_000

/** Why the changes of a longer command are not recorded, as the end of a sentence. */
export const TOO_LONG =
  'it ran for over 10 minutes, in which Troupe can’t tell its changes from those of others'

export class RunningCommands {
  private readonly commands = new Set<ObservedCommand>()
  private readonly now: () => number

  /** @param now ms since the epoch */
  constructor(now: () => number) {
    this.now = now
  }

  isTooLong({ startedAt }: ObservedCommand): boolean {
    return this.now() - startedAt > LONGEST_COMMAND_MS
  }

  add(command: ObservedCommand): void {
    this.commands.add(command)
  }

  delete(command: ObservedCommand): void {
    this.commands.delete(command)
  }

  /** The commands that have not run for too long: their changes can be told apart. */
  recent(): readonly ObservedCommand[] {
    return [...this.commands].filter((command) => !this.isTooLong(command))
  }

  /** Those that work in a folder around a path. */
  around(path: string): readonly ObservedCommand[] {
    return this.recent().filter(({ before }) => path.startsWith(`${before.top}/`))
  }

  /**
   * The agents that may have made a change that was found after a call of one of them.
   * @param last the agent that wrote the file last; null: nobody knows
   */
  writersOf({ agentId, toolUseId }: JournaledCall, change: ChangedState, last: string | null): Set<string> {
    const others = this.around(change.path).filter(
      (command) => command.agentId !== agentId && !sawAlready(command.before, change),
    )
    const text = [...this.commands].find((command) => command.toolUseId === toolUseId)?.text ?? ''
    return likelyWriters([{ agentId, text }, ...others], { path: change.path, last })
  }
}

const sawAlready = ({ top, files }: FolderSnapshot, { path, after }: ChangedState): boolean => {
  const seen = files.get(path.slice(top.length + 1))
  return seen !== undefined && keyOf(seen.side) === keyOf(after.side)
}

interface WritingCommand {
  readonly agentId: string
  /** What the agent ran. Empty: not known. */
  readonly text: string
}

/**
 * Which of several commands that ran at once in a folder wrote a file. The file system does not tell, and the sandbox
 * gives them all the same folder, so this goes by what the commands say, then by whose file it was.
 * @param file.last the agent that wrote the file last; null: nobody knows
 * @returns the agents whose command it may have been, at least one
 */
export function likelyWriters(
  commands: readonly WritingCommand[],
  { path, last }: { readonly path: string; readonly last: string | null },
): Set<string> {
  const all = new Set(commands.map(({ agentId }) => agentId))
  if (all.size === 1) return all
  const naming = commands.filter(({ text }) => namesFile(text, path)).map(({ agentId }) => agentId)
  if (naming.length > 0) return new Set(naming)
  return last !== null && all.has(last) ? new Set([last]) : all
}

/** Whether the file's name stands by itself in a command. */
function namesFile(text: string, path: string): boolean {
  const name = basename(path)
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = [text[at - 1] ?? ' ', text[at + name.length] ?? ' ']
    if (!around.some((char) => /[\w.-]/.test(char))) return true
  }
  return false
}

const MOST_SCRIPTS = 10
/** Bytes of each. */
const LARGEST_SCRIPT = 64 * 1024

/**
 * What a command says of the files that it writes: its own line, and the scripts of the folder that it names.
 * @param folder where the command runs
 */
export async function commandText(command: string, folder: string): Promise<string> {
  const words = new Set(command.split(/[\s'"`;|&<>()=]+/))
  const paths = [...words]
    .map((word) => resolve(folder, word))
    .filter((path) => path.startsWith(`${folder}/`))
  const scripts = await Promise.all(paths.slice(0, MOST_SCRIPTS).map(textOf))
  return [command, ...scripts].join('\n')
}

/** '' for what is no readable file. */
async function textOf(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return ''
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.size > LARGEST_SCRIPT) return ''
    const { bytes } = await readUpTo(handle, LARGEST_SCRIPT, stats.size)
    return Buffer.from(bytes).toString()
  } catch {
    return ''
  } finally {
    await handle.close()
  }
}
