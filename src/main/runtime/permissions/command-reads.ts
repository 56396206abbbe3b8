/** The files that a part of a command line reads, and the reasons for needing permission. */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { isAbsolute, pathBelow } from '../paths/paths.ts'
import { isSecretBelow } from '../paths/sensitive-files.ts'
import { type Concern, locate } from './concern.ts'
import { named, readConcern } from './decide-file.ts'
import { deniedInTree, denyingRule } from './denied-files.ts'
import type { LocatedPath } from './locate-path.ts'
import type { PermissionConcern } from './permission-concern.ts'
import { fileRule, ruleForFile } from './permission-rule.ts'
import { repositoryProgram } from './repository-programs.ts'
import { holdsSecrets } from './secret-words.ts'
import type { ReadEffect, SearchedTree } from './shell/command-effect.ts'
import { expandPattern } from './shell/expand-pattern.ts'
import type { ShellWord } from './shell/shell-syntax.ts'

interface Reading {
  readonly effect: ReadEffect
  readonly words: readonly ShellWord[]
  /** Null if unknown. */
  readonly folder: string | null
  /** The part as a subject of a sentence. */
  readonly shown: string
}

/** The words of a command with its patterns expanded, except those that can't be expanded and the command's name. */
export async function expandWords(
  question: PermissionConcern,
  words: readonly ShellWord[],
  folder: string,
): Promise<readonly ShellWord[]> {
  const listNames = async (path: string) => {
    const file = await locate(question, path, folder)
    const mayList =
      typeof file !== 'string' &&
      (file.below !== null || readConcern(file, question.agent.readFolders) === null)
    return mayList ? ((await question.look.names(path)) ?? []) : null
  }
  const expanded: ShellWord[] = []
  for (const [index, word] of words.entries()) {
    const found = index === 0 ? null : await expandPattern(word, folder, listNames)
    expanded.push(...(found ?? [word]))
  }
  return expanded
}

export async function readConcerns(
  question: PermissionConcern,
  reading: Reading,
): Promise<readonly Concern[]> {
  const { effect, words, folder, shown } = reading
  const concerns: Concern[] = []
  if (effect.unclear) concerns.push({ because: `${shown} ${effect.unclear}.`, weight: 'plain' })
  // A shell lists the names that a pattern matches, for any command.
  const listed = words.flatMap(({ glob, value, text }) => (glob && /[*?[]/.test(text) ? (value ?? []) : []))
  const names = [...effect.names, ...listed]
  const unexpanded = words.find(({ glob, value }) => glob && value === null)
  if (unexpanded && folder !== null)
    concerns.push({
      because: `Troupe can't tell which files ${makeVisible(unexpanded.text.slice(0, 80))} matches inside the folder.`,
      weight: 'plain',
    })
  const dependsOnFolder =
    effect.repository !== null || ![...effect.contents, ...names].every(isAbsolute) || effect.trees.length > 0
  if (folder === null && dependsOnFolder)
    return [...concerns, { because: `Troupe can't tell in which folder ${shown} runs.`, weight: 'plain' }]
  const at = folder ?? question.agent.root
  for (const path of effect.contents) {
    concerns.push(...pathConcern(question, await locate(question, path, at), true))
    if (effect.openFolders && (await isFolder(question, path, at)))
      concerns.push({
        because: `${shown} shows all files of a folder, also through links.`,
        weight: 'plain',
        inSandbox: 'asks',
      })
  }
  for (const path of names) concerns.push(...pathConcern(question, await locate(question, path, at), false))
  for (const tree of effect.trees)
    concerns.push(...(await treeConcern(question, { tree, folder: at, shown })))
  if (effect.repository !== null) concerns.push(...(await repositoryConcern(question, at, effect.repository)))
  return concerns
}

/** Files that the command has open already, and devices without data of the user. */
const OPEN_FILE = /^\/dev\/(fd\/\d+|stdin|null|zero|full|u?random)$/

/** The system's own folders, which look the same to every user. In the sandbox, /tmp and /proc are its own. */
const OF_SYSTEM = /^\/(usr|bin|sbin|lib\w*|opt|proc|sys|tmp|System|Library)(\/|$)/
/** The files in `/etc` that describe the system. Other files there can contain passwords of servers. */
const ABOUT_SYSTEM =
  /^\/etc(\/((os|lsb|debian|alpine|fedora|redhat)[-_](release|version)|passwd|group|hosts|hostname|resolv\.conf|nsswitch\.conf|services|protocols|shells|timezone|localtime|mime\.types|ld\.so\..+|(ssl\/certs|alternatives|pki\/ca-trust|ca-certificates)(\/.*)?))?$/

/** Whether the sandbox shows this file outside the agent's folder, because it contains no data of the user. */
function isOfSystem({ confined, home = null }: PermissionConcern, { path, real }: LocatedPath): boolean {
  if (confined === undefined) return false
  return [path, real].every(
    (one) =>
      (OF_SYSTEM.test(one) || ABOUT_SYSTEM.test(one)) && (home === null || pathBelow(home, one) === null),
  )
}

export function pathConcern(
  question: PermissionConcern,
  file: LocatedPath | string,
  showsContent: boolean,
): readonly Concern[] {
  if (typeof file === 'string') return [{ because: file, weight: 'plain' }]
  if (OPEN_FILE.test(file.path)) return []
  const concern = readConcern(file, question.agent.readFolders)
  if (concern === null || (concern.secret && !showsContent && file.below !== null)) return []
  const rule = ruleForFile(question.rules, { target: 'read', file, secret: concern.secret })
  if (rule) return []
  if (!concern.secret && isOfSystem(question, file)) return []
  if (!concern.secret || !showsContent)
    return [{ because: concern.because, weight: 'plain', inSandbox: 'asks' }]
  return [
    {
      because: concern.because,
      weight: 'secret',
      rule: fileRule('read', file),
      ...(file.below === null && { inSandbox: 'fails' }),
    },
  ]
}

/** A secret file that a recursive search shows by the way. Other paths outside the folder are judged by themselves. */
async function treeConcern(
  question: PermissionConcern,
  { tree, folder, shown }: { readonly tree: SearchedTree; readonly folder: string; readonly shown: string },
): Promise<readonly Concern[]> {
  const top = await locate(question, tree.path, folder)
  if (typeof top === 'string') return []
  if (top.below === null && (await holdsSecrets(question, top)))
    return [
      {
        because: `${shown} also shows files of ${named(top)} that may contain secrets, such as keys.`,
        weight: 'secret',
      },
    ]
  if (top.below === null || !(await isFolder(question, tree.path, folder))) return []
  const inFolder = (path: string) => (top.below === '.' ? path : `${top.below}/${path}`)
  const { shows = () => true, hidden, ignored, filters } = tree
  const root = top.below === '.' ? top.real : top.real.slice(0, -top.below.length - 1)
  const isShown = (path: string) => {
    const below = inFolder(path)
    if (!isSecretBelow(root, below) || !shows(path)) return false
    const file = { below, real: `${top.real}/${path}` }
    return ruleForFile(question.rules, { target: 'read', file, secret: true }) === null
  }
  const deniedBy = (path: string) =>
    denyingRule(question, { below: inFolder(path), real: `${top.real}/${path}` }, ['read'])
  const searched = { path: top.real, hidden, ignored, filters }
  if (tree.splits) {
    const split = await question.look.findFile({ ...searched, passes: (path) => /[\s'"\\]/.test(path) })
    if (!split.ok || split.value !== null)
      return [
        {
          because: `${shown} splits names with blanks or quotes, so it may read other files. Use -print0 and xargs -0.`,
          weight: 'plain',
        },
      ]
  }
  if (question.definitionRules.denied.some(({ pattern }) => pattern !== null)) {
    const denied = await question.look.findFile({
      ...searched,
      passes: (path) => shows(path) && deniedBy(path) !== null,
    })
    const rule = denied.ok && denied.value !== null ? deniedBy(denied.value) : null
    if (denied.ok && denied.value !== null && rule) return [deniedInTree(rule, shown, inFolder(denied.value))]
  }
  const found = await question.look.findFile({ ...searched, passes: isShown })
  if (!found.ok) return [{ because: `Troupe can't tell which files ${shown} reads.`, weight: 'plain' }]
  if (found.value === null) return []
  const below = inFolder(found.value)
  const secret = makeVisible(below)
  return [
    {
      because: `${shown} also shows ${secret}, which may contain a secret. The Grep tool leaves such files out.`,
      weight: 'secret',
      rule: fileRule('read', { below, real: `${top.real}/${found.value}` }),
    },
  ]
}

async function isFolder({ look }: PermissionConcern, path: string, folder: string): Promise<boolean> {
  return (await look.names(isAbsolute(path) ? path : `${folder}/${path}`)) !== null
}

/**
 * git runs programs that a repository's settings name, and any folder can be made to look like a repository. Only the
 * agent's folder counts, and a folder inside it from which git finds no repository before that.
 */
async function repositoryConcern(
  question: PermissionConcern,
  folder: string,
  repository: string,
): Promise<readonly Concern[]> {
  const file = await locate(question, repository, folder)
  if (typeof file !== 'string' && file.below !== null && !(await isRepositoryBelow(question, file))) {
    const program = await repositoryProgram(question.look, question.agent.root)
    if (program === null) return []
    return [
      { because: `In this repository, ${makeVisible(program)} can make git run a program.`, weight: 'plain' },
    ]
  }
  return [
    {
      because: "Outside the agent's folder, git can run programs that the other folder's settings name.",
      weight: 'plain',
    },
  ]
}

/** Whether a folder, or one between it and the agent's folder, has the files of a repository or can't be listed. */
async function isRepositoryBelow({ look }: PermissionConcern, file: LocatedPath): Promise<boolean> {
  const names = file.below === '.' ? [] : (file.below?.split('/') ?? [])
  const root = file.real.slice(0, file.real.length - (file.below?.length ?? 0) - 1)
  for (let count = 1; count <= names.length; count += 1) {
    const found = await look.names(`${root}/${names.slice(0, count).join('/')}`)
    if (
      found === null ||
      found.some((name) => name.toLowerCase() === '.git' || name.toUpperCase() === 'HEAD')
    )
      return true
  }
  return false
}
