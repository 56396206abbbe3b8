/**
 * Commands of git that change more than the worktree and the branch of the agent that calls them: what all checkouts
 * of a repository share, or which branch the work lands on. What only reads is judged before; see worktree-git.ts.
 */
import type { ShellWord } from './shell-syntax.ts'

export interface SharedGit {
  /** `deny`: in every mode. `ask`: no rule and no mode settles it. */
  readonly kind: 'deny' | 'ask'
  /** One or two whole sentences. */
  readonly because: string
}

/** Null: it goes the usual way. `branch`: the agent's own. */
export function sharedGit(verb: string, words: readonly ShellWord[], branch: string): SharedGit | null {
  if (UPKEEP.has(verb))
    return deny(`git ${verb} works on the store that all checkouts share`, 'Leave it out.')
  const judge = Object.hasOwn(JUDGES, verb) ? JUDGES[verb] : undefined
  if (judge) return judge({ ...readWords(words, verb), branch })
  if (KNOWN.has(verb)) return null
  return ask(`git ${verb} is no command that is known here: it may be an alias for anything.`)
}

// ---- reading words -----------------------------------------------------------------------------

interface Call {
  readonly branch: string
  /** Before `--`. */
  readonly operands: readonly ShellWord[]
  /** What follows `--`; none where there is none. */
  readonly paths: readonly ShellWord[]
  /** One of these letters is among the short options, or one of these names may be meant by a long one. */
  has(letters: string, names?: string): boolean
  /** Some word may become an option, or the operand that counts. */
  readonly unclear: boolean
}

/** Options that take the next word, where it could be mistaken for an operand. */
const WITH_VALUE: Readonly<Record<string, RegExp>> = {
  rebase: /^(--onto|-s|--strategy|-X|--strategy-option|-x|--exec|-C|--empty|--whitespace)$/,
  fetch: /^(--depth|--deepen|--shallow-(since|exclude)|-j|--jobs|-o|--server-option|--upload-pack|--filter)$/,
  pull: /^(--depth|--deepen|--shallow-(since|exclude)|-j|--jobs|-o|--server-option|--upload-pack|-s|-X|--strategy)$/,
  checkout: /^(--conflict|--pathspec-from-file|-U|--unified)$/,
}

/** Whether it stays a word of its own: a variable without quotes may become none, or several. */
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

// ---- what each does ----------------------------------------------------------------------------

type Judge = (call: Call) => SharedGit | null

const deny = (what: string, instead: string): SharedGit => ({ kind: 'deny', because: `${what}. ${instead}` })
const ask = (because: string): SharedGit => ({ kind: 'ask', because })

const isOwn = (word: ShellWord | undefined, branch: string) =>
  ['HEAD', '@', branch, `heads/${branch}`, `refs/heads/${branch}`].includes(word?.value ?? '')

/** `git remote add`: allowed are the first words that are listed. */
const onlyFirst =
  (allowed: string, refusal: SharedGit): Judge =>
  ({ operands, unclear }) => {
    const [first] = operands
    if (first !== undefined && first.value === null) return { ...refusal, kind: 'ask' }
    if (first === undefined) return unclear ? { ...refusal, kind: 'ask' } : null
    return allowed.split(' ').includes(first.value ?? '') ? null : refusal
  }

/** The same with the first words that are refused. */
const notFirst =
  (refused: string, refusal: SharedGit): Judge =>
  ({ operands: [first], unclear }) => {
    if (first === undefined || first.value === null) return unclear ? { ...refusal, kind: 'ask' } : null
    return refused.split(' ').includes(first.value) ? refusal : null
  }

const stayOnBranch = (what: string, branch: string) =>
  deny(
    `${what} would leave your branch ${branch}, and work that is not on it reaches nobody`,
    'Commit on your own branch. To look at other commits use git show REV:PATH, git diff, git log or git restore --source=REV -- PATH; to take back a file, git checkout -- PATH.',
  )

/**
 * A single word may be a branch or a file; git takes the branch. With more words, or after `--`, it is about files.
 * A detached HEAD is refused too: commits on it are on no branch, so nothing would find them at the end.
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
    'Branches belong to all checkouts of the repository: others may work on them',
    `Yours is ${branch}; leave it its name, and the others as they are.`,
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

/** `main:other` writes into a branch; `git@host:path` and `https://…` say where from. */
const fetch: Judge = ({ operands, has }) => {
  const refused = deny(
    'This fetches into a branch of the repository, which all checkouts share',
    'Fetch without ":BRANCH": the result is at FETCH_HEAD and under refs/remotes.',
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
        'This pushes into a repository on this machine, and would move branches there',
        `Commit on your own branch ${branch}: the user merges it.`,
      )
    : ask('git push sends commits to others, so it is always asked about.')

const config: Judge = ({ operands, has }) => {
  const writes = has('e', 'add replace-all unset unset-all rename-section remove-section edit')
  const asks = has('l', 'get get-all get-regexp get-urlmatch get-color get-colorbool list')
  const subcommand = ['get', 'list'].includes(operands[0]?.value ?? '')
  if (!writes && (asks || subcommand || operands.length <= 1)) return null
  return deny(
    'Settings of git hold for all checkouts of the repository, or for all of the user’s',
    'For one command give them with git -c NAME=VALUE.',
  )
}

const init: Judge = ({ operands }) =>
  operands.some(({ value }) => value !== null && !/^\.?\/?$/.test(value))
    ? null
    : deny('git init would set up the repository anew that this worktree is a part of', 'Leave it out.')

const STASH = deny(
  'The stash is shared by all checkouts of the repository, so another agent could take what you put there',
  'Commit on your own branch instead; a commit can be taken back with git reset.',
)
const WORKTREES = deny(
  'Worktrees are the business of the program that made yours',
  'Work in your own; other branches can be read from there.',
)
const REFS = deny(
  'This changes references that all checkouts of the repository share',
  'Commit on your own branch, which moves by itself.',
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
    deny('Remotes are shared by all checkouts of the repository', 'Give the address itself to git fetch.'),
  ),
  submodule: notFirst(
    'add deinit absorbgitdirs set-url set-branch sync foreach',
    deny('Submodules are set up for all checkouts of the repository', 'Say in your report what they need.'),
  ),
  tag: () => ask('Tags are shared by all checkouts of the repository, so this is always asked about.'),
  notes: onlyFirst(
    'list show get-ref',
    ask('Notes are shared by all checkouts of the repository, so this is always asked about.'),
  ),
  lfs: notFirst(
    'install uninstall prune migrate update',
    ask('This changes what Git LFS does in all checkouts, so it is always asked about.'),
  ),
  'sparse-checkout': onlyFirst(
    'list check-rules',
    ask('This may change settings that all checkouts share, so it is always asked about.'),
  ),
  'checkout-index': ({ has }) =>
    has('', 'prefix') ? ask('With --prefix this can write outside of the worktree.') : null,
  apply: ({ has }) =>
    has('', 'unsafe-paths') ? ask('With --unsafe-paths this can write outside of the worktree.') : null,
}

const UPKEEP: ReadonlySet<string> = new Set(
  (
    'gc prune prune-packed repack pack-refs maintenance filter-branch filter-repo fast-import receive-pack send-pack ' +
    'http-push multi-pack-index refs scalar'
  ).split(' '),
)

/** The commands of git that go the usual way. Any other may be an alias. */
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
