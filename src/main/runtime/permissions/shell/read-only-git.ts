/**
 * Read-only git commands. git accepts shortened options (`--outp`), and some options name a program or a file to
 * write, so only complete names from these lists count.
 */
import type { CommandEffect } from './command-effect.ts'
import { changes, readsNothing } from './command-effect.ts'
import type { OptionTable, ReadOptions } from './command-options.ts'
import { readOptions } from './command-options.ts'
import type { ShellWord } from './shell-syntax.ts'

export function gitEffect(words: readonly ShellWord[]): CommandEffect {
  let rest = words
  let repository = '.'
  for (;;) {
    const value = rest[0]?.value
    if (value === '--no-pager' || value === '-P' || value === '--no-optional-locks') rest = rest.slice(1)
    else if (value === '-C' && rest[1]?.value) {
      // A second -C is relative to the first. Such calls are rare.
      if (repository !== '.') return changes('git -C occurs twice')
      repository = rest[1].value
      rest = rest.slice(2)
    } else break
  }
  const name = rest[0]?.value
  if (name === null || name === undefined) return changes('the git command is unknown until it runs')
  if (name.startsWith('-')) return changes(`git ${name} can change what git runs`)
  const command = Object.hasOwn(GIT_COMMANDS, name) ? GIT_COMMANDS[name] : undefined
  if (!command) return changes(`git ${name} may change the repository`)
  const read = readOptions(rest.slice(1), command)
  if (!read.ok) return changes(`git ${name}: ${read.because}`)
  const refusal = command.refuses?.(read)
  if (refusal) return changes(`git ${name} ${refusal}`)
  if (
    read.options.some(({ name, value }) => FORMATS.has(name) && /%[^a-zA-Z]*G|signature/i.test(value ?? ''))
  )
    return changes('this format runs a program that checks signatures')
  const { contents, unclear } = operandPaths(read.operands)
  const everything = { hidden: true, ignored: true, filters: [] }
  return {
    ...readsNothing,
    contents: [...contents, ...lineRangeFiles(read)],
    unclear,
    trees: (command.trees?.(read) ?? []).map((path) => ({ path, ...everything })),
    repository,
  }
}

const FORMATS: ReadonlySet<string> = new Set(['format', 'pretty', 'sort'])

/** git also compares plain files outside a repository, so each operand counts as a path. */
function operandPaths(operands: readonly ShellWord[]): {
  contents: readonly string[]
  unclear: string | null
} {
  const contents = operands.flatMap((word) => {
    const text = word.value
    if (text === null || text === '') return []
    const path = text.slice(text.lastIndexOf(':') + 1)
    return path === '' || path === text ? [text] : [text, path]
  })
  const unknown = operands.some((word) => word.value === null)
  return { contents, unclear: unknown ? 'reads paths that are unknown until it runs' : null }
}

/** `git log -L 1,20:FILE` */
function lineRangeFiles({ options }: ReadOptions): readonly string[] {
  return options.flatMap(({ name, value }) =>
    name === 'L' && value?.includes(':') ? [value.slice(value.lastIndexOf(':') + 1)] : [],
  )
}

interface GitCommand extends OptionTable {
  /** Why this form is not read-only, or null. */
  readonly refuses?: (read: ReadOptions) => string | null
  /** The folders whose files it shows, tracked or not. */
  readonly trees?: (read: ReadOptions) => readonly string[]
}

const DIFF_SHORT = 'pusabwWRzM::C::B::DU:S:G:l:'
const DIFF_LONG =
  'patch no-patch unified:: stat:: compact-summary numstat shortstat dirstat:: summary patch-with-stat raw name-only ' +
  'name-status color:: no-color color-moved:: no-color-moved word-diff:: word-diff-regex:: color-words:: minimal ' +
  'patience histogram diff-algorithm:: full-index binary abbrev:: no-abbrev find-renames:: find-copies:: ' +
  'find-copies-harder no-renames diff-filter:: pickaxe-all pickaxe-regex relative:: no-relative text ' +
  'ignore-cr-at-eol ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines function-context ' +
  'inter-hunk-context:: exit-code quiet no-ext-diff no-textconv ignore-submodules:: src-prefix:: dst-prefix:: ' +
  'no-prefix line-prefix:: cached staged merge-base check'
const LOG_LONG =
  `${DIFF_LONG} oneline format:: pretty:: decorate:: no-decorate graph no-graph all branches:: tags:: remotes:: ` +
  'max-count:: skip:: since:: after:: until:: before:: author:: committer:: grep:: all-match invert-grep ' +
  'regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp merges no-merges first-parent reverse ' +
  'date-order topo-order author-date-order date:: relative-date abbrev-commit no-abbrev-commit follow no-notes ' +
  'left-right left-only right-only cherry-pick cherry-mark boundary ancestry-path:: simplify-by-decoration ' +
  'full-history walk-reflogs source no-mailmap log-size no-show-signature cc full-diff count'

const DIFF: GitCommand = { short: DIFF_SHORT, long: DIFF_LONG }
/** Outside a repository, git compares two folders file by file. */
const COMPARED: GitCommand['trees'] = ({ operands }) =>
  operands.length === 2 ? operands.flatMap(({ value }) => value ?? []) : []
const LOG: GitCommand = { short: `${DIFF_SHORT}n:giEFPcmqL:`, long: LOG_LONG, numeric: true }

const BRANCH_LONG =
  'all remotes verbose list show-current contains: no-contains: merged: no-merged: points-at: sort: format: ' +
  'color:: no-color column:: no-column ignore-case abbrev:: no-abbrev'

/** Settings that can hold a password: of programs for logins, headers, and addresses. */
const LOGIN =
  /^(credential|http|sendemail|imap|url)\.|\.(url|pushurl|proxy|extraheader|password|pass|token)$/i

/** A name without one of these would be created. */
const LISTING: ReadonlySet<string> = new Set(
  'list l contains no-contains merged no-merged points-at'.split(' '),
)
const listsOnly = (read: ReadOptions) =>
  read.operands.length === 0 || read.options.some(({ name }) => LISTING.has(name))
    ? null
    : 'with a name makes one (use --list)'

const onlyWord =
  (...allowed: readonly string[]) =>
  (read: ReadOptions) =>
    allowed.includes(read.operands[0]?.value ?? '') ? null : 'is read-only in some forms only'

const GIT_COMMANDS: Readonly<Record<string, GitCommand>> = {
  status: {
    short: 'sbvzu::',
    long:
      'short branch show-stash porcelain:: long verbose untracked-files:: ignored:: ignore-submodules:: ahead-behind ' +
      'no-ahead-behind renames no-renames column:: no-column null',
  },
  diff: { ...DIFF, trees: COMPARED },
  log: LOG,
  show: LOG,
  shortlog: {
    short: 'nsecn',
    long: 'numbered summary email committer group:: all since:: until:: author:: no-merges',
  },
  reflog: {
    ...LOG,
    refuses: (read) =>
      /^(expire|delete|drop|write)$/.test(read.operands[0]?.value ?? '') ? 'changes the reflog' : null,
  },
  blame: {
    short: 'L:wM::C::eslptfn',
    long: 'porcelain line-porcelain date:: since:: show-email show-name show-number root first-parent abbrev::',
  },
  branch: { short: 'arv', long: BRANCH_LONG, refuses: listsOnly },
  tag: { short: 'ln::', long: BRANCH_LONG, refuses: listsOnly },
  'rev-parse': {
    short: 'q',
    long:
      'show-toplevel abbrev-ref:: short:: verify quiet is-inside-work-tree is-inside-git-dir is-bare-repository ' +
      'is-shallow-repository git-dir absolute-git-dir git-common-dir show-prefix show-cdup symbolic ' +
      'symbolic-full-name all branches:: tags:: remotes:: show-superproject-working-tree',
  },
  'rev-list': LOG,
  'ls-files': {
    short: 'comdsuztvki',
    long:
      'others cached modified deleted stage unmerged exclude-standard ignored directory full-name error-unmatch eol ' +
      'deduplicate abbrev:: killed',
  },
  'ls-tree': { short: 'rtdlz', long: 'name-only name-status long full-tree full-name abbrev:: object-only' },
  'cat-file': { short: 'ptse' },
  'merge-base': { short: 'a', long: 'all is-ancestor octopus independent fork-point' },
  'name-rev': { long: 'tags name-only always no-undefined' },
  'show-ref': { short: 'dsq', long: 'head heads branches tags dereference hash:: verify quiet abbrev::' },
  'for-each-ref': {
    long: 'format: sort: count: points-at: merged:: no-merged:: contains:: no-contains:: ignore-case exclude:',
  },
  'diff-tree': { ...DIFF, short: `${DIFF_SHORT}rtmc`, long: `${DIFF_LONG} root no-commit-id merge-base` },
  describe: {
    long: 'tags all always long dirty:: abbrev:: match: exclude: contains exact-match first-parent candidates:',
  },
  grep: {
    short: 'niIlLcwEFPGhHqvoape:A:B:C:W',
    long:
      'cached untracked ignore-case word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp ' +
      'fixed-strings line-number column files-with-matches name-only files-without-match count color:: no-color break ' +
      'heading show-function context:: after-context:: before-context:: function-context and or not all-match ' +
      'max-depth:: only-matching quiet text recursive no-recursive null max-count:: no-exclude-standard no-index',
    numeric: true,
    trees: ({ options }) =>
      options.some(({ name }) => name === 'untracked' || name.startsWith('no-exclude') || name === 'no-index')
        ? ['.']
        : [],
  },
  remote: {
    short: 'v',
    long: 'verbose',
    refuses: (read) =>
      read.operands.length === 0 || (read.operands[0]?.value === 'get-url' && read.operands.length === 2)
        ? null
        : 'is read-only as "git remote -v" and "git remote get-url NAME" only',
  },
  stash: { ...LOG, refuses: onlyWord('list', 'show') },
  worktree: { short: 'vz', long: 'porcelain verbose', refuses: onlyWord('list') },
  config: {
    short: 'l',
    long: 'list get get-all local global system worktree show-origin show-scope type: bool int path null',
    refuses: ({ options, operands }) => {
      const names = options.some(({ name }) => name === 'get' || name === 'get-all') ? 1 : 0
      const lists = options.some(({ name }) => name === 'l' || name === 'list')
      if (LOGIN.test(operands[0]?.value ?? '')) return 'can show a login'
      return operands.length === names && (names === 1) !== lists
        ? null
        : 'is read-only with --get and one name, or with --list, only'
    },
  },
  'symbolic-ref': {
    short: 'q',
    long: 'short quiet',
    refuses: (read) => (read.operands.length === 1 ? null : 'with two names changes one'),
  },
  'check-ignore': { short: 'vnq', long: 'verbose non-matching quiet no-index' },
  'count-objects': { short: 'vH', long: 'verbose human-readable' },
  version: { long: 'build-options' },
}
