/**
 * Keeps the git commands of an agent in a worktree inside it: a call that reaches beyond, or changes what all
 * checkouts of the repository share, is refused in every mode. A guard against mistakes, not a prison: a program
 * that calls git by itself is not seen through.
 */
import { makeVisible } from '../../../shared/visible-text.ts'
import { locatePath } from './locate-path.ts'
import { resolvePath } from './paths.ts'
import type { JudgedQuestion, WorktreeAgent } from './permission-question.ts'
import { findGitCalls, type GitCall, mentionsGit } from './shell/find-git-calls.ts'
import { gitOptions } from './shell/git-options.ts'
import { parseShell } from './shell/parse-shell.ts'
import { gitEffect } from './shell/read-only-git.ts'
import { type SharedGit, sharedGit } from './shell/shared-git.ts'
import type { ShellWord } from './shell/shell-syntax.ts'
import { type CommandPart, commandParts } from './shell/walk-commands.ts'

/** Scripts in scripts; deeper ones are asked about. */
const DEEPEST_SCRIPT = 4

type Guarded = Pick<JudgedQuestion, 'realPath'> & { readonly worktree: WorktreeAgent }

/** What speaks against the git calls in a command, the worst of it; null: nothing, or the agent has no worktree. */
export async function worktreeGit(
  question: JudgedQuestion,
  parts: readonly CommandPart[],
): Promise<SharedGit | null> {
  const { worktree } = question.agent
  return worktree ? await judgeParts({ realPath: question.realPath, worktree }, parts, 0) : null
}

/**
 * The same for a command that can't be taken apart: its words are looked at as if there were no quotes, so it is
 * never more than a reason to ask.
 */
export function unclearWorktreeGit({ agent }: JudgedQuestion, whole: string): string | null {
  if (!agent.worktree) return null
  const command = withoutRoot(whole.replaceAll('\\\n', ' '), agent.worktree.root)
  if (new RegExp(`${REDIRECTING}\\+?=`).test(command)) return variableWords(agent.worktree)
  if (!mentionsGit(command)) return null
  if (
    /(?:^|[\s"'=/])\.\.(?:[/\s"';)]|$)/.test(command) ||
    /\b(?:cd|pushd)\s+["']?(?:[/~$-]|$)/m.test(command)
  )
    return `It may use git outside of the agent's worktree ${makeVisible(agent.worktree.root)}.`
  for (const segment of command.replace(/["']/g, '').split(/[;&|(){}`\n]+|\$\(/)) {
    const words = segment.split(/\s+/).filter((word) => word !== '')
    for (const [index, word] of words.entries()) {
      if (word.replace(/^.*\//, '') !== 'git') continue
      const options = gitOptions(words.slice(index + 1).map(roughWord))
      if (options.refused !== null || options.folders.length + options.places.length > 0)
        return `It may use git outside of the agent's worktree ${makeVisible(agent.worktree.root)}.`
      if (gitEffect(words.slice(index + 1).map(roughWord)).kind === 'reads' || options.verb === null) continue
      const shared = sharedGit(options.verb, options.words, agent.worktree.branch)
      if (shared) return shared.because
    }
  }
  return null
}

/** Paths in the worktree as relative ones. */
function withoutRoot(command: string, root: string): string {
  return command
    .split(root)
    .reduce((before, after) => before + (/^$|^[/\s"';&|)]/.test(after) ? '.' : root) + after)
}

function roughWord(text: string): ShellWord {
  const start = text.replace(/[$*?[\\].*$/s, '')
  return { text: `"${text}"`, value: start === text ? text : null, start, glob: false }
}

// ---- parts -------------------------------------------------------------------------------------

async function judgeParts(
  guarded: Guarded,
  parts: readonly CommandPart[],
  depth: number,
): Promise<SharedGit | null> {
  let worst: SharedGit | null = null
  for (const part of parts) {
    const found = await judgePart(guarded, part, depth)
    if (found?.kind === 'deny') return found
    worst ??= found
  }
  return worst
}

async function judgePart(guarded: Guarded, part: CommandPart, depth: number): Promise<SharedGit | null> {
  const { words, assignments } = part.command
  const redirected = await redirectedBy(guarded, part, [...assignments, ...settersIn(words)])
  if (redirected) return redirected
  const { calls, scripts } = findGitCalls(words)
  let worst: SharedGit | null = null
  for (const call of calls) worst ??= await judgeCall(guarded, call, part.folders)
  for (const script of scripts) {
    if (worst?.kind === 'deny') return worst
    const found = await judgeScript(guarded, script, part, depth)
    worst = found?.kind === 'deny' ? found : (worst ?? found)
  }
  return worst
}

async function judgeScript(
  guarded: Guarded,
  script: string | null,
  part: CommandPart,
  depth: number,
): Promise<SharedGit | null> {
  const unclear: SharedGit = { kind: 'ask', because: 'What it does with git is known only when it runs.' }
  if (script === null) return unclear
  const parsed = depth < DEEPEST_SCRIPT ? parseShell(script) : null
  if (!parsed?.ok) return mentionsGit(script) ? unclear : null
  let worst: SharedGit | null = null
  for (const folder of part.folders ?? [null]) {
    const parts = commandParts(parsed.list, folder ?? '/')
    const placed = folder === null ? parts.map((one) => ({ ...one, folders: null })) : parts
    const found = await judgeParts(guarded, placed, depth + 1)
    if (found?.kind === 'deny') return found
    worst ??= found
  }
  return worst
}

// ---- one call ----------------------------------------------------------------------------------

async function judgeCall(
  guarded: Guarded,
  call: GitCall,
  folders: CommandPart['folders'],
): Promise<SharedGit | null> {
  const { worktree } = guarded
  const options = gitOptions(call.words)
  const known = (found: SharedGit | null): SharedGit | null =>
    found && !call.sure ? { ...found, kind: 'ask' } : found
  const outside: SharedGit = { kind: 'deny', because: outsideWords(worktree) }
  if (options.refused !== null)
    return known({
      kind: 'deny',
      because: `git ${makeVisible(options.refused)} can lead git out of your worktree, or hide what it does. Leave it out.`,
    })
  const reads = gitEffect(call.words).kind === 'reads'
  const unknownPlace: SharedGit = {
    kind: 'ask',
    because: 'In which repository git works here is known only when it runs.',
  }
  const moved = call.before.some(({ start }) => /^(-C|-D|--chdir)/.test(start))
  const given = [...options.folders, ...options.places]
  if (folders === null || moved || given.includes(null)) {
    if (!reads || given.includes(null)) return known(unknownPlace)
  } else
    for (const folder of folders) {
      const at = options.folders.reduce<string>((from, to) => resolvePath(from, to ?? '.'), folder)
      const places = [at, ...options.places.map((place) => resolvePath(at, place ?? '.'))]
      for (const place of places) if (!(await isInside(guarded, place))) return known(outside)
    }
  if (reads) return null
  if (options.verb === null)
    return options.unclear
      ? known({ kind: 'ask', because: 'Which git command runs here is known only when it runs.' })
      : null
  return known(sharedGit(options.verb, options.words, worktree.branch))
}

async function isInside({ worktree, realPath }: Guarded, place: string): Promise<boolean> {
  const found = await locatePath(place, { cwd: worktree.root, root: worktree.root, realPath })
  return found.ok && found.value.below !== null
}

function outsideWords({ root, branch }: WorktreeAgent): string {
  return `Your git commands stay in your worktree ${makeVisible(root)}, and this one reaches beyond it. Use git there, on your branch ${branch}; what is on other branches can be read from there: git log BRANCH, git show BRANCH:PATH, git diff BRANCH...HEAD.`
}

// ---- variables ---------------------------------------------------------------------------------

/** Variables that lead git to another repository, index or settings. */
const REDIRECTING =
  'GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|CONFIG\\w*|EXEC_PATH|TEMPLATE_DIR|REPLACE_REF_BASE|SHALLOW_FILE|GRAFT_FILE)'
const SETTER = new RegExp(`^(${REDIRECTING})\\+?=`)

/** Of these a file or folder in the worktree is fine. */
const PLACES: ReadonlySet<string> = new Set(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'])
/** Settings that are only left out. */
const HARMLESS = /^GIT_CONFIG_(?:(?:GLOBAL|SYSTEM)=\/dev\/null|NOSYSTEM=[\w]*)$/

/** `export GIT_DIR=…`, `env GIT_DIR=… git`: words that set a variable, whatever the command. */
function settersIn(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = words[0]?.value ?? ''
  return /^(echo|printf|grep|rg|git)$/.test(name) ? [] : words.slice(1)
}

async function redirectedBy(
  guarded: Guarded,
  part: CommandPart,
  words: readonly ShellWord[],
): Promise<SharedGit | null> {
  for (const word of words) {
    const name = SETTER.exec(word.value ?? word.start)?.[1]
    if (name === undefined || HARMLESS.test(word.value ?? '')) continue
    const place = word.value?.slice(word.value.indexOf('=') + 1)
    const isPlace = PLACES.has(name) && place !== undefined && place !== '' && part.folders !== null
    const inside = isPlace
      ? await Promise.all(part.folders.map((folder) => isInside(guarded, resolvePath(folder, place))))
      : [false]
    if (!inside.every(Boolean)) return { kind: 'deny', because: variableWords(guarded.worktree) }
  }
  return null
}

function variableWords({ root }: WorktreeAgent): string {
  return `It sets a variable that can lead git out of the worktree ${makeVisible(root)}. Leave it out: git finds the worktree by itself.`
}
