/**
 * Keeps the git commands of an agent inside its worktree: a call that reaches outside, or changes data that all
 * checkouts of the repository share, is denied in every mode. This guards against mistakes, not against attacks: the
 * check does not see git calls inside other programs.
 */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { resolvePath } from '../paths/paths.ts'
import { locatePath } from './locate-path.ts'
import type { PermissionConcern, WorktreeAgent } from './permission-concern.ts'
import { findGitCalls, type GitCall, mentionsGit } from './shell/find-git-calls.ts'
import { gitOptions } from './shell/git-options.ts'
import { parseShell } from './shell/parse-shell.ts'
import { gitEffect } from './shell/read-only-git.ts'
import { type SharedGit, sharedGit } from './shell/shared-git.ts'
import type { ShellWord } from './shell/shell-syntax.ts'
import { type CommandPart, commandParts } from './shell/walk-commands.ts'

/** Scripts nested deeper need permission. */
const DEEPEST_SCRIPT = 4

type Guarded = Pick<PermissionConcern, 'realPath'> & { readonly worktree: WorktreeAgent }

/** The strongest objection to the git calls in a command; null if there is none, or the agent has no worktree. */
export async function worktreeGit(
  question: PermissionConcern,
  parts: readonly CommandPart[],
): Promise<SharedGit | null> {
  const { worktree } = question.agent
  return worktree ? await judgeParts({ realPath: question.realPath, worktree }, parts, 0) : null
}

/**
 * The objection to a command that could not be parsed. The check ignores quotes, so the result is only a reason to
 * ask.
 */
export function unclearWorktreeGit({ agent }: PermissionConcern, whole: string): string | null {
  if (!agent.worktree) return null
  const command = withoutRoot(whole.replaceAll('\\\n', ' '), agent.worktree.root)
  if (new RegExp(`${REDIRECTING}\\+?=`).test(command)) return variableText(agent.worktree)
  if (!mentionsGit(command)) return null
  if (
    /(?:^|[\s"'=/])\.\.(?:[/\s"';)]|$)/.test(command) ||
    /\b(?:cd|pushd)\s+["']?(?:[/~$-]|$)/m.test(command)
  )
    return `The command may use git outside the agent's worktree ${makeVisible(agent.worktree.root)}.`
  for (const segment of command.replace(/["']/g, '').split(/[;&|(){}`\n]+|\$\(/)) {
    const words = segment.split(/\s+/).filter((word) => word !== '')
    for (const [index, word] of words.entries()) {
      if (word.replace(/^.*\//, '') !== 'git') continue
      const options = gitOptions(words.slice(index + 1).map(roughWord))
      if (options.refused !== null || options.folders.length + options.locations.length > 0)
        return `The command may use git outside the agent's worktree ${makeVisible(agent.worktree.root)}.`
      if (gitEffect(words.slice(index + 1).map(roughWord)).kind === 'reads' || options.verb === null) continue
      const shared = sharedIn(agent.worktree, { verb: options.verb, words: options.words })
      if (shared) return shared.because
    }
  }
  return null
}

/** The command with the worktree's path replaced by `.`. */
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
    const found = await judgeScript(guarded, { script, part, depth })
    worst = found?.kind === 'deny' ? found : (worst ?? found)
  }
  return worst
}

async function judgeScript(
  guarded: Guarded,
  {
    script,
    part,
    depth,
  }: { readonly script: string | null; readonly part: CommandPart; readonly depth: number },
): Promise<SharedGit | null> {
  const unclear: SharedGit = {
    kind: 'ask',
    because: 'The git calls of this script are unknown until it runs.',
  }
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
  const outside: SharedGit = { kind: 'deny', because: outsideText(worktree) }
  if (options.refused !== null)
    return known({
      kind: 'deny',
      because: `git ${makeVisible(options.refused)} can redirect git outside your worktree, or hide its effects. Leave it out.`,
    })
  const reads = gitEffect(call.words).kind === 'reads'
  const unknownRepository: SharedGit = {
    kind: 'ask',
    because: "Troupe can't tell in which repository git runs here.",
  }
  const moved = call.before.some(({ start }) => /^(-C|-D|--chdir)/.test(start))
  const given = [...options.folders, ...options.locations]
  if (folders === null || moved || given.includes(null)) {
    if (!reads || given.includes(null)) return known(unknownRepository)
  } else
    for (const folder of folders) {
      const at = options.folders.reduce<string>((from, to) => resolvePath(from, to ?? '.'), folder)
      const locations = [at, ...options.locations.map((location) => resolvePath(at, location ?? '.'))]
      for (const location of locations) if (!(await isInside(guarded, location))) return known(outside)
    }
  if (reads) return null
  if (options.verb === null)
    return options.unclear
      ? known({ kind: 'ask', because: "Troupe can't tell which git command runs here." })
      : null
  return known(sharedIn(worktree, { verb: options.verb, words: options.words }))
}

function sharedIn(
  { branch }: WorktreeAgent,
  { verb, words }: { readonly verb: string; readonly words: readonly ShellWord[] },
): SharedGit | null {
  return branch === null ? null : sharedGit(verb, words, branch)
}

async function isInside({ worktree, realPath }: Guarded, path: string): Promise<boolean> {
  const found = await locatePath(path, { cwd: worktree.root, root: worktree.root, realPath })
  return found.ok && found.value.below !== null
}

function outsideText({ root, branch }: WorktreeAgent): string {
  if (branch === null)
    return `This git command reaches outside your folder ${makeVisible(root)}. Use git in it: it has the whole history.`
  return `This git command reaches outside your worktree ${makeVisible(root)}. Use git in your worktree, on your branch ${branch}. You can read other branches from there: git log BRANCH, git show BRANCH:PATH, git diff BRANCH...HEAD.`
}

// ---- variables ---------------------------------------------------------------------------------

/** Variables that select another repository, index or settings. */
const REDIRECTING =
  'GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|CONFIG\\w*|EXEC_PATH|TEMPLATE_DIR|REPLACE_REF_BASE|SHALLOW_FILE|GRAFT_FILE)'
const SETTER = new RegExp(`^(${REDIRECTING})\\+?=`)

/** Variables that may name a file or folder in the worktree. */
const LOCATIONS: ReadonlySet<string> = new Set(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'])
/** Values that only disable settings. */
const HARMLESS = /^GIT_CONFIG_(?:(?:GLOBAL|SYSTEM)=\/dev\/null|NOSYSTEM=[\w]*)$/

/** Words that set a variable for any command: `export GIT_DIR=…`, `env GIT_DIR=… git`. */
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
    const path = word.value?.slice(word.value.indexOf('=') + 1)
    const isLocation = LOCATIONS.has(name) && path !== undefined && path !== '' && part.folders !== null
    const inside = isLocation
      ? await Promise.all(part.folders.map((folder) => isInside(guarded, resolvePath(folder, path))))
      : [false]
    if (!inside.every(Boolean)) return { kind: 'deny', because: variableText(guarded.worktree) }
  }
  return null
}

function variableText({ root }: WorktreeAgent): string {
  return `This sets a variable that can redirect git outside the worktree ${makeVisible(root)}. Leave it out: git finds the worktree by itself.`
}

/** Options of an own commit that neither run a program, nor open an editor, nor read a file outside the worktree. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  add: /^(-[Avnu]+|--all|--update|--verbose|--dry-run|--)$/,
  commit:
    /^(-[aqvs]*m?|-n|--message(=.*)?|--all|--quiet|--amend|--no-edit|--allow-empty|--signoff|--no-verify|--)$/s,
}

/**
 * Whether a part only stages or commits in the agent's worktree, which needs no permission. The repository and the branch
 * are checked before; the environment of commands in a worktree turns hooks off.
 */
export function isOwnCommit(
  { agent }: PermissionConcern,
  { command: { words, assignments, redirects }, folders }: CommandPart,
): boolean {
  const [git, verb, ...rest] = words.map(({ value }) => value)
  if (!agent.worktree || folders === null || git !== 'git' || assignments.length + redirects.length > 0)
    return false
  const options = verb === 'add' || verb === 'commit' ? OPTIONS[verb] : undefined
  if (options === undefined) return false
  let hasMessage = verb === 'add'
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]
    if (word === undefined || word === null) return false
    if (!word.startsWith('-')) continue
    if (!options.test(word)) return false
    const isMessage = verb === 'commit' && /^(-[aqvs]*m|--message)$/.test(word)
    hasMessage ||= isMessage || word.startsWith('--message=') || word === '--no-edit'
    if (isMessage) {
      at++
      if (typeof rest[at] !== 'string') return false
    }
  }
  return hasMessage
}
