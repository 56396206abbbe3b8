/** The simple commands of a parsed command line in execution order, each with its possible folders. */
import { resolvePath } from '../../paths/paths.ts'
import { bindVariable } from './bind-variable.ts'
import { isOwnVariable } from './read-only-special.ts'
import type { Pipeline, ShellGroup, ShellList, ShellWord, SimpleCommand } from './shell-syntax.ts'

export interface CommandPart {
  /** A group with redirects is a part without words. The head of a `for` loop is `: WORD …`, and `NAME=` before it. */
  readonly command: Pick<SimpleCommand, 'text' | 'assignments' | 'words' | 'redirects'>
  /** The folders in which the part may run; null if unknown. */
  readonly folders: readonly string[] | null
  /** The words of the command whose output is the part's input. */
  readonly feed?: readonly ShellWord[]
}

/** More possible folders than this count as unknown. */
const MOST_FOLDERS = 8

type Folders = readonly string[] | null

/** All parts of a list that starts in `cwd`. Inner commands precede the command that uses them. */
export function commandParts(list: ShellList, cwd: string): readonly CommandPart[] {
  const parts: CommandPart[] = []
  walkList(list, [cwd], parts)
  return parts
}

/**
 * `cd` changes the folder of later commands. After `&&`, `cd` has succeeded; after any other operator `cd` may have
 * failed or have run in a subshell, so both folders are possible.
 */
function walkList(list: ShellList, start: Folders, parts: CommandPart[]): Folders {
  let folders = start
  let possible = start
  for (const [index, pipeline] of list.entries()) {
    if (pipeline.joint !== '&&') folders = possible
    const after = walkPipeline(pipeline, folders, parts)
    possible = union(possible, after)
    const succeeded =
      list[index + 1]?.joint === '&&' && pipeline.joint !== '||' && pipeline.commands.length === 1
    folders = succeeded ? after : union(folders, after)
  }
  return possible
}

function walkPipeline(pipeline: Pipeline, folders: Folders, parts: CommandPart[]): Folders {
  let after = folders
  for (const [index, command] of pipeline.commands.entries()) {
    const before = pipeline.commands[index - 1]
    const found: CommandPart[] = []
    const moved = walkCommand(command, folders, found)
    const feed = command.kind === 'simple' && before?.kind === 'simple' ? before.words : null
    // The command itself is the last of its parts.
    parts.push(...found.map((part, at) => (feed && at === found.length - 1 ? { ...part, feed } : part)))
    after = pipeline.commands.length === 1 ? moved : union(after, moved)
  }
  return after
}

function walkCommand(command: SimpleCommand | ShellGroup, folders: Folders, parts: CommandPart[]): Folders {
  for (const inner of command.inner) walkList(inner, folders, parts)
  if (command.kind === 'simple') {
    parts.push({ command, folders })
    return foldersAfter(command, folders)
  }
  const part = { text: '', assignments: [], words: [], redirects: [] }
  if (command.redirects.length > 0)
    parts.push({ command: { ...part, redirects: command.redirects }, folders })
  if (command.loop === null) {
    const after = walkList(command.body, folders, parts)
    return command.subshell ? folders : after
  }
  const { variable, values, text } = command.loop
  const assigned = variable === null ? null : { text: `${variable}=`, value: null, start: '', glob: false }
  if (assigned && !isOwnVariable(assigned))
    parts.push({ command: { ...part, text, assignments: [assigned] }, folders })
  if (values.length > 0) parts.push({ command: { ...part, text, words: [NOTHING, ...values] }, folders })
  return walkLoop(bindVariable(command.body, command.loop), folders, parts)
}

/** A command without an effect: the shell only expands its words. */
const NOTHING: ShellWord = { text: ':', value: ':', start: ':', glob: false }

/** If a body changes the folder, its second run starts elsewhere. */
function walkLoop(body: ShellList, folders: Folders, parts: CommandPart[]): Folders {
  const found: CommandPart[] = []
  const after = walkList(body, folders, found)
  const stays = folders !== null && after?.every((folder) => folders.includes(folder)) === true
  parts.push(...(stays ? found : found.map((part) => ({ ...part, folders: null }))))
  return stays ? after : null
}

/** Shell commands after which the folder is unknown. */
const MOVERS: ReadonlySet<string> = new Set([
  'pushd',
  'popd',
  'eval',
  'source',
  '.',
  'exec',
  'builtin',
  'command',
])

function foldersAfter(command: SimpleCommand, folders: Folders): Folders {
  // The shell runs a command after `time` itself.
  const start = command.words[0]?.value === 'time' ? command.words.findIndex(isAfterTime) : 0
  const words = start < 0 ? [] : command.words.slice(start)
  const [name, ...rest] = words
  if (name === undefined) return folders
  if (name.value === null || (MOVERS.has(name.value) && !isLookUp(words))) return null
  if (name.value !== 'cd') return folders
  const target = cdTarget({ words })
  if (target === null || folders === null || rest.length === 0) return null
  return folders.map((folder) => resolvePath(folder, target))
}

const isAfterTime = ({ value }: ShellWord) => !['time', '-p', '--', '!'].includes(value ?? '')

/** `command -v NAME` runs nothing. */
function isLookUp(words: readonly ShellWord[]): boolean {
  return words[0]?.value === 'command' && /^-[vV]$/.test(words[1]?.value ?? '')
}

/** The folder of a plain `cd FOLDER`; null for every other form. */
function cdTarget(command: Pick<SimpleCommand, 'words'>): string | null {
  const operands = command.words.slice(command.words[1]?.value === '--' ? 2 : 1)
  const target = operands[0]?.value
  if (operands.length !== 1 || target === undefined || target === null) return null
  return target === '' || target.startsWith('-') ? null : target
}

function union(a: Folders, b: Folders): Folders {
  if (a === null || b === null) return null
  const all = [...new Set([...a, ...b])]
  return all.length > MOST_FOLDERS ? null : all
}
