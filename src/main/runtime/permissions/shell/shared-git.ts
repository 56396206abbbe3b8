/**
 * git commands with effects beyond the calling agent's worktree and branch: on data that all checkouts of the
 * repository share, or on the branch that receives the work. See worktree-git.ts, which accepts read-only commands.
 */
import type { ShellWord } from './shell-syntax.ts'

export interface SharedGit {
  /** `deny`: in every mode. `ask`: no rule and no mode settles it. */
  readonly kind: 'deny' | 'ask'
  /** One or two sentences. */
  readonly because: string
}

/** Null for a command without shared effects. `branch` is the agent's own. */
export function sharedGit(verb: string, words: readonly ShellWord[], branch: string): SharedGit | null {
  if (UPKEEP.has(verb))
    return deny(`git ${verb} changes the object store that all checkouts share`, 'Leave it out.')
  const judge = Object.hasOwn(JUDGES, verb) ? JUDGES[verb] : undefined
  if (judge) return judge({ ...readWords(words, verb), branch })
  if (KNOWN.has(verb)) return null
  return ask(`Troupe doesn't know git ${verb}: it may be an alias for any command.`)
}

// ---- reading words -----------------------------------------------------------------------------

interface Call {
  readonly branch: string
  /** The operands before `--`. */
  readonly operands: readonly ShellWord[]
  /** The words after `--`. */
  readonly paths: readonly ShellWord[]
  /** Whether one of these short options occurs, or a long option that may abbreviate one of these names. */
  has(letters: string, names?: string): boolean
  /** A word may become an option or the decisive operand. */
  readonly unclear: boolean
}

/** Options whose value, the next word, could be mistaken for an operand. */
const WITH_VALUE: Readonly<Record<string, RegExp>> = {
  rebase: /^(--onto|-s|--strategy|-X|--strategy-option|-x|--exec|-C|--empty|--whitespace)$/,
  fetch: /^(--depth|--deepen|--shallow-(since|exclude)|-j|--jobs|-o|--server-option|--upload-pack|--filter)$/,
  pull: /^(--depth|--deepen|--shallow-(since|exclude)|-j|--jobs|-o|--server-option|--upload-pack|-s|-X|--strategy)$/,
  checkout: /^(--conflict|--pathspec-from-file|-U|--unified)$/,
}

/** Whether the word stays one argument. An unquoted variable may become none, or several. */
function isOneWord({ value, text, glob }: ShellWord): boolean {
  return value !== null || glob || /^["']/.test(text)
}

function readWords(words: readonly ShellWord[], verb: string): Omit<Call, 'branch'> {
  const end = words.findIndex(({ value }) => value === '--')
  const before = end < 0 ? words : words.slice(0, end)
  const operands: ShellWord[] = []
  const options: string[] = []
  for (let at = 0; at < before.length; at++) {
    const word = before[at]
    if (word === undefined) break
    if (!word.start.startsWith('-') || word.value === '-') operands.push(word)
    else options.push(word.start)
    if (WITH_VALUE[verb]?.test(word.value ?? '')) at++
  }
  return {
    operands,
    paths: end < 0 ? [] : words.slice(end + 1),
    unclear: !before.every(isOneWord),
    has: (letters, names = '') =>
      options.some((option) => {
        if (!option.startsWith('--')) return [...option.slice(1)].some((letter) => letters.includes(letter))
        const name = option.slice(2).split('=')[0] ?? ''
        return names.split(' ').some((each) => each !== '' && name !== '' && each.startsWith(name))
      }),
  }
}

// ---- effects of each command --------------------------------------------------------------------

type Judge = (call: Call) => SharedGit | null

const deny = (what: string, instead: string): SharedGit => ({ kind: 'deny', because: `${what}. ${instead}` })
const ask = (because: string): SharedGit => ({ kind: 'ask', because })

const isOwn = (word: ShellWord | undefined, branch: string) =>
  ['HEAD', '@', branch, `heads/${branch}`, `refs/heads/${branch}`].includes(word?.value ?? '')

/** Allows only these first operands: `git remote show`. */
const onlyFirst =
  (allowed: string, refusal: SharedGit): Judge =>
  ({ operands, unclear }) => {
    const [first] = operands
    if (first !== undefined && first.value === null) return { ...refusal, kind: 'ask' }
    if (first === undefined) return unclear ? { ...refusal, kind: 'ask' } : null
    return allowed.split(' ').includes(first.value ?? '') ? null : refusal
  }

/** Refuses only these first operands. */
const notFirst =
  (refused: string, refusal: SharedGit): Judge =>
  ({ operands: [first], unclear }) => {
    if (first === undefined || first.value === null) return unclear ? { ...refusal, kind: 'ask' } : null
    return refused.split(' ').includes(first.value) ? refusal : null
  }

const stayOnBranch = (what: string, branch: string) =>
  deny(
    `${what} would leave your branch ${branch}, and only work on your branch is delivered`,
    'Commit on your own branch. To read other commits, use git show REV:PATH, git diff, git log or git restore --source=REV -- PATH. To revert a file, use git checkout -- PATH.',
  )

/**
 * git reads a single operand as a branch if there is one, else as a file. Several operands, or operands after `--`,
 * are files. A detached HEAD is refused too, since its commits are on no branch.
 */
const checkout: Judge = ({ operands, paths, has, unclear, branch }) => {
  const refused = stayOnBranch('This', branch)
  if (has('bBtdl', 'orphan track detach')) return refused
  const [first] = operands
  if (first === undefined) return null
  const isAboutFiles = paths.some(isOneWord) || operands.filter(isOneWord).length > 1
  if (isAboutFiles || (operands.length === 1 && isOwn(first, branch))) return null
  if (/^(\.$|\.\.?\/)/.test(first.start)) return null
  const isKnown = first.value !== null && operands.length === 1 && paths.length === 0
  return isKnown && !unclear ? refused : { ...refused, kind: 'ask' }
}

const switchTo: Judge = ({ operands, has, unclear, branch }) => {
  const refused = stayOnBranch('This', branch)
  if (
    operands.length === 1 &&
    isOwn(operands[0], branch) &&
    !has('cCdt', 'create force-create orphan detach track')
  )
    return null
  return unclear ? { ...refused, kind: 'ask' } : refused
}

const branchRefs: Judge = ({ has, unclear, branch }) => {
  const refused = deny(
    'All checkouts of the repository share the branches, and others may work on them',
    `Keep the name of your branch ${branch}, and leave the others alone.`,
  )
  if (has('dDmMcCf', 'delete move copy force edit-description')) return refused
  return unclear ? { ...refused, kind: 'ask' } : null
}

const rebase: Judge = ({ operands, has, branch }) => {
  if (has('', 'update-refs'))
    return deny('git rebase --update-refs moves other branches', 'Rebase your own branch without it.')
  const last = operands.at(-1)
  const namesBranch = operands.length > (has('', 'root') ? 0 : 1)
  if (!namesBranch || isOwn(last, branch)) return null
  const refused = stayOnBranch('Rebasing another branch', branch)
  return last?.value === null ? { ...refused, kind: 'ask' } : refused
}

/** `main:other` writes into a branch; `git@host:path` and `https://…` are sources. */
const fetch: Judge = ({ operands, has }) => {
  const refused = deny(
    'This fetches into a branch, and all checkouts of the repository share the branches',
    'Fetch without ":BRANCH"; the result is in FETCH_HEAD and under refs/remotes.',
  )
  if (has('', 'refmap')) return refused
  if (has('', 'stdin')) return { ...refused, kind: 'ask' }
  const specs = operands.slice(1)
  if (specs.some(({ value, start }) => value === null && !start.startsWith('refs/pull/')))
    return { ...refused, kind: 'ask' }
  const writes = specs.some(
    ({ value }) => /^\+?[^:@]*:./.test(value ?? '') && !/^\+?[^:]*:(refs\/remotes\/|\/\/)/.test(value ?? ''),
  )
  return writes ? refused : null
}

const push: Judge = ({ operands, branch }) =>
  operands.some(({ start }) => /^(\.{0,2}\/|\.{1,2}$|~|file:|[A-Za-z]:[\\/])/.test(start))
    ? deny(
        'This pushes into a repository on this machine and would move its branches',
        `Commit on your own branch ${branch}; the user merges it.`,
      )
    : ask('git push publishes commits, so it always needs permission.')

const config: Judge = ({ operands, has }) => {
  const writes = has('e', 'add replace-all unset unset-all rename-section remove-section edit')
  const asks = has('l', 'get get-all get-regexp get-urlmatch get-color get-colorbool list')
  const subcommand = ['get', 'list'].includes(operands[0]?.value ?? '')
  if (!writes && (asks || subcommand || operands.length <= 1)) return null
  return deny(
    'git settings apply to all checkouts of the repository, or to all repositories of the user',
    'For a single command, use git -c NAME=VALUE.',
  )
}

const init: Judge = ({ operands }) =>
  operands.some(({ value }) => value !== null && !/^\.?\/?$/.test(value))
    ? null
    : deny('git init would initialize the repository of this worktree again', 'Leave it out.')

const STASH = deny(
  'All checkouts of the repository share the stash, so another agent could take your changes',
  'Commit on your own branch instead; git reset undoes a commit.',
)
const WORKTREES = deny(
  'Troupe manages the worktrees of this repository',
  'Work in your own; you can read other branches from there.',
)
const REFS = deny(
  'This changes refs that all checkouts of the repository share',
  'Commit on your own branch; the commit moves it.',
)

const JUDGES: Readonly<Record<string, Judge>> = {
  stash: ({ operands: [first] }) => (['list', 'show'].includes(first?.value ?? '') ? null : STASH),
  worktree: ({ operands: [first] }) => (first?.value === 'list' ? null : WORKTREES),
  checkout,
  switch: switchTo,
  branch: branchRefs,
  rebase,
  fetch,
  pull: fetch,
  push,
  config,
  init,
  'init-db': init,
  'update-ref': () => REFS,
  'symbolic-ref': () => REFS,
  replace: ({ operands, has }) => (operands.length === 0 || has('l', 'list') ? null : REFS),
  reflog: notFirst('expire delete drop write', REFS),
  remote: onlyFirst(
    'show get-url update',
    deny('All checkouts of the repository share the remotes', 'Pass the URL to git fetch.'),
  ),
  submodule: notFirst(
    'add deinit absorbgitdirs set-url set-branch sync foreach',
    deny(
      'This changes the submodules of all checkouts of the repository',
      'Report the change that is needed.',
    ),
  ),
  tag: () => ask('All checkouts of the repository share the tags, so this always needs permission.'),
  notes: onlyFirst(
    'list show get-ref',
    ask('All checkouts of the repository share the notes, so this always needs permission.'),
  ),
  lfs: notFirst(
    'install uninstall prune migrate update',
    ask('This changes Git LFS in all checkouts of the repository, so it always needs permission.'),
  ),
  'sparse-checkout': onlyFirst(
    'list check-rules',
    ask('This may change settings that all checkouts share, so it always needs permission.'),
  ),
  'checkout-index': ({ has }) =>
    has('', 'prefix') ? ask('With --prefix, this can write outside the worktree.') : null,
  apply: ({ has }) =>
    has('', 'unsafe-paths') ? ask('With --unsafe-paths, this can write outside the worktree.') : null,
}

const UPKEEP: ReadonlySet<string> = new Set(
  (
    'gc prune prune-packed repack pack-refs maintenance filter-branch filter-repo fast-import receive-pack send-pack ' +
    'http-push multi-pack-index refs scalar'
  ).split(' '),
)

/** git commands without shared effects. Any other command may be an alias. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'add am annotate archive bisect blame bundle cat-file check-attr check-ignore check-mailmap check-ref-format ' +
    'cherry cherry-pick citool clean clone column commit commit-graph commit-tree count-objects credential ' +
    'credential-cache credential-store describe diff diff-files diff-index diff-tree difftool fast-export fetch-pack ' +
    'fmt-merge-msg for-each-ref for-each-repo format-patch fsck get-tar-commit-id grep gui hash-object help hook ' +
    'imap-send index-pack interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit merge merge-base ' +
    'merge-file merge-index merge-one-file merge-tree mergetool mktag mktree mv name-rev pack-objects patch-id ' +
    'range-diff read-tree replay request-pull rerere reset restore rev-list rev-parse revert rm send-email ' +
    'shortlog show show-branch show-index show-ref stage status stripspace unpack-file unpack-objects update-index ' +
    'update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged ' +
    'write-tree'
  ).split(' '),
)
