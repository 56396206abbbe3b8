/**
 * The parts of a command line as a permission request shows them: each command in the order in which it runs, and
 * what the dangerous ones do. The consequence is one sentence for the user, with figures where they can be known.
 */
import type { SubjectPart } from '../../../shared/events/permissions-schema.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { pathBelow, resolvePath } from '../paths/paths.ts'
import { judgePart } from './command-concerns.ts'
import { expandWords } from './command-reads.ts'
import { locate } from './concern.ts'
import type { PermissionConcern } from './permission-concern.ts'
import { findGitCalls } from './shell/find-git-calls.ts'
import { gitOptions } from './shell/git-options.ts'
import { parseShell } from './shell/parse-shell.ts'
import type { ShellList, ShellWord } from './shell/shell-syntax.ts'
import { type CommandPart, commandParts } from './shell/walk-commands.ts'
import { unwrap } from './shell/wrappers.ts'

/** A request lists at most this many parts; a longer command line is shown as it is. */
const MOST_PARTS = 12

/** Undefined: one harmless command, a command line that can't be taken apart, or one with too many parts. */
export async function requestParts(
  question: PermissionConcern,
  command: string,
): Promise<readonly SubjectPart[] | undefined> {
  const parsed = parseShell(command)
  if (!parsed.ok) return undefined
  const steps = stepsOf(parsed.list)
  const parts = commandParts(parsed.list, question.cwd)
  if (parts.length > MOST_PARTS || parts.length !== steps.length) return undefined
  const shown: SubjectPart[] = []
  for (const [index, part] of parts.entries()) {
    const text = makeVisible(part.command.text.trim())
    const step = steps[index]
    if (text === '' || step === undefined) continue
    const danger = await dangerOf(question, part)
    shown.push({ text, ...step, ...(danger && { danger }) })
  }
  const isPlain = shown.length < 2 && shown.every(({ danger }) => danger === undefined)
  return isPlain ? undefined : shown
}

/** For each part its place among the pipelines, from 1, and whether it runs only after a failure. */
function stepsOf(list: ShellList): readonly Pick<SubjectPart, 'step' | 'afterFailure'>[] {
  return list.flatMap((pipeline, index) =>
    commandParts([pipeline], '/').map(() => ({
      step: index + 1,
      ...(pipeline.joint === '||' && { afterFailure: true as const }),
    })),
  )
}

/** What a part may do that can't be taken back; null: nothing that is known. */
async function dangerOf(
  question: PermissionConcern,
  part: CommandPart,
): Promise<SubjectPart['danger'] | null> {
  const { words } = unwrap(part.command.words)
  const lost = await deletion(question, part, words)
  if (lost !== null) return { kind: 'deletes', consequence: lost }
  const { concerns } = await judgePart(question, part)
  const secret = concerns.find(({ weight }) => weight === 'secret')
  if (secret) return { kind: 'secret', consequence: secret.because }
  const consequence = KNOWN.find(([pattern]) => pattern.test(words.map(({ text }) => text).join(' ')))?.[1]
  if (consequence !== undefined) return { kind: 'other', consequence }
  const sensitive = concerns.find(({ weight }) => weight === 'sensitive')
  return sensitive ? { kind: 'other', consequence: sensitive.because } : null
}

/** Commands whose harm is not a deletion of files, by their text without wrappers. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/^(sudo|doas|su)( |$)/, 'Runs with the rights of another user, outside every limit of Troupe.'],
  [/^(mkfs\S*|fdisk|parted)( |$)/, 'Overwrites a disk.'],
  [
    /^git (\S+ )*push .*(--force\b|--force-with-lease\b|-f\b|--mirror\b|--delete\b| \+)/,
    'Overwrites or deletes commits of the remote repository.',
  ],
  [/^git (\S+ )*filter-branch( |$)/, 'Rewrites the history of the repository.'],
]

// ---- deletions ----------------------------------------------------------------------------------

const DELETERS: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'shred'])

/** What a part deletes, in a sentence; null: nothing. */
async function deletion(
  question: PermissionConcern,
  part: CommandPart,
  words: readonly ShellWord[],
): Promise<string | null> {
  const name = words[0]?.value?.replace(/^.*\//, '') ?? ''
  if (DELETERS.has(name)) return deletedFiles(question, part, words)
  const values = words.map(({ value, text }) => value ?? text)
  if (name === 'find' && values.some((value) => value === '-delete' || DELETERS.has(value)))
    return 'Deletes every file that it finds.'
  return discarded(words)
}

/** What a git command takes from the working folder or the repository; null: nothing. */
function discarded(words: readonly ShellWord[]): string | null {
  for (const call of findGitCalls(words).calls) {
    const { verb } = gitOptions(call.words)
    const values = call.words.map(({ value }) => value ?? '')
    const has = (...options: readonly string[]) => options.some((option) => values.includes(option))
    if (verb === 'clean') return 'Deletes files that git does not track, so git can’t restore them.'
    if (verb === 'reset' && has('--hard')) return 'Discards all uncommitted changes.'
    if (verb === 'restore' && !(has('--staged', '-S') && !has('--worktree', '-W')))
      return 'Discards uncommitted changes of these files.'
    if (verb === 'checkout' && has('--', '.', '-f', '--force'))
      return 'Discards uncommitted changes of these files.'
    if (verb === 'branch' && has('-D', '-d', '--delete')) return 'Deletes a branch.'
    if (verb === 'stash' && has('drop', 'clear')) return 'Deletes stashed changes.'
  }
  return null
}

/** More files than this are not counted. */
const MOST_COUNTED = 10_000

async function deletedFiles(
  question: PermissionConcern,
  { folders }: CommandPart,
  words: readonly ShellWord[],
): Promise<string> {
  const [folder] = folders ?? []
  if (folder === undefined || folders?.length !== 1) return 'Deletes files.'
  const expanded = await expandWords(question, words, folder)
  const operands = expanded.slice(1).filter(({ value, text }) => !(value ?? text).startsWith('-'))
  if (operands.length === 0 || operands.some(({ value }) => value === null)) return 'Deletes files.'
  const below: string[] = []
  for (const { value } of operands) {
    const file = await locate(question, value ?? '', folder)
    if (typeof file === 'string') return 'Deletes files.'
    if (file.below === null) return `Deletes ${makeVisible(file.path)}, which is outside the folder.`
    below.push(file.below)
  }
  return counted(question, below)
}

/** `below`: paths below the agent's folder. */
async function counted(question: PermissionConcern, below: readonly string[]): Promise<string> {
  const isMeant = (path: string) => below.some((one) => one === '.' || isIn(one, path))
  const all = await countFiles(question, true, isMeant)
  if (all === null) return 'Deletes files.'
  if (all > MOST_COUNTED) return `Deletes more than ${MOST_COUNTED.toLocaleString('en-US')} files.`
  const sentence =
    all === 0 ? 'Deletes no file that exists now.' : `Deletes ${all} ${all === 1 ? 'file' : 'files'}.`
  const ignored = all === 0 ? null : await ignoredFolder(question, below)
  if (ignored === null) return sentence
  return `${sentence} git ignores ${makeVisible(ignored)}, so undo can’t restore ${all === 1 ? 'it' : 'them'}.`
}

/** The folder that has all the paths and no file that git could know; null: there is none. */
async function ignoredFolder(question: PermissionConcern, below: readonly string[]): Promise<string | null> {
  const [only = ''] = below
  const isFolder =
    below.length === 1 && (await question.look.names(resolvePath(question.agent.root, only))) !== null
  const tops = new Set(isFolder ? [only] : below.map((path) => path.split('/').slice(0, -1).join('/')))
  const [top] = tops
  if (top === undefined || tops.size > 1 || top === '' || top === '.') return null
  const known = await countFiles(question, false, (path) => isIn(top, path))
  return known === 0 ? top : null
}

const isIn = (folder: string, path: string): boolean => pathBelow(`/${folder}`, `/${path}`) !== null

/** Null: the folder can't be searched. */
async function countFiles(
  { look, agent }: PermissionConcern,
  ignored: boolean,
  isMeant: (path: string) => boolean,
): Promise<number | null> {
  let count = 0
  const query = { path: agent.root, hidden: true, ignored, filters: [] }
  const found = await look.findFile({
    ...query,
    passes: (path) => isMeant(path) && ++count > MOST_COUNTED,
  })
  return found.ok ? count : null
}
